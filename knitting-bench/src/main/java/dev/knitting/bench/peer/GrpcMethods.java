package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The methods of {@link GrpcPeer} and {@link GrpcServer}: unary, with payloads written by hand. */
final class GrpcMethods {
    /** Held, or its level would be forgotten. */
    private static final Logger NETTY = Logger.getLogger("io.grpc.netty.shaded.io.netty.bootstrap");

    static final String SERVICE = "bench";
    static final MethodDescriptor<Long, Long> INC = method(
            "Inc",
            new Form<>(GrpcMethods::longBytes, bytes -> ByteBuffer.wrap(bytes).getLong()));
    static final MethodDescriptor<byte[], byte[]> BYTES =
            method("Bytes", new Form<>(Function.identity(), Function.identity()));
    static final MethodDescriptor<String, String> STRING =
            method("String", new Form<>(text -> text.getBytes(UTF_8), bytes -> new String(bytes, UTF_8)));
    static final MethodDescriptor<Order, Order> ORDER =
            method("Order", new Form<>(GrpcMethods::orderBytes, bytes -> WireCodec.readOrder(ByteBuffer.wrap(bytes))));

    private GrpcMethods() {}

    /** Netty would warn of an option that sockets of this kind do not have. */
    static void quietNetty() {
        NETTY.setLevel(Level.SEVERE);
    }

    private static <T> MethodDescriptor<T, T> method(String name, Marshaller<T> marshaller) {
        return MethodDescriptor.newBuilder(marshaller, marshaller)
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .build();
    }

    private static byte[] longBytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] orderBytes(Order order) {
        ByteBuffer output = ByteBuffer.allocate(WireCodec.maxBytes(order));
        WireCodec.writeOrder(output, order);
        return Arrays.copyOf(output.array(), output.position());
    }

    private record Form<T>(Function<T, byte[]> writer, Function<byte[], T> reader) implements Marshaller<T> {
        @Override
        public InputStream stream(T value) {
            return new Bytes(writer.apply(value));
        }

        @Override
        public T parse(InputStream stream) {
            try {
                return reader.apply(stream.readNBytes(stream.available()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Bytes that gRPC can ask for their length, and take at once. */
    private static final class Bytes extends ByteArrayInputStream implements KnownLength, Drainable {
        Bytes(byte[] bytes) {
            super(bytes);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = count - pos;
            target.write(buf, pos, length);
            pos = count;
            return length;
        }
    }
}

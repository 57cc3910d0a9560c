package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Hand-written frames over a Unix-domain socket to a child JVM: blocking channels, direct buffers, one write for all
 * calls of a batch as far as the window allows.
 *
 * <p>The window bounds the bytes that are under way, one frame at least. It is smaller than one socket buffer, so the
 * two sides can never both wait for the other to read. It is refilled when half of it is free, which keeps the writes
 * large while both sides work.
 */
final class UdsPeer implements Peer {
    private static final int SOCKET_BUFFER_BYTES = 1 << 20; // the system takes it as a wish
    private static final int WINDOW_BYTES = 160 << 10;

    private final ChildJvm child;
    private final FrameChannel frames;
    private int[] frameBytes = new int[1000];

    UdsPeer() throws IOException {
        Path directory = Files.createTempDirectory("knitting-uds");
        Path path = directory.resolve("socket");
        try {
            child = ChildJvm.start(UdsServer.class, path.toString());
            child.readLine();
            frames = new FrameChannel(tuned(SocketChannel.open(UnixDomainSocketAddress.of(path))));
        } finally {
            Files.deleteIfExists(path);
            Files.delete(directory);
        }
    }

    static SocketChannel tuned(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
        return channel;
    }

    @Override
    public long inc(long value) throws IOException {
        frames.beginFrame(1 + Long.BYTES).put(UdsServer.INC).putLong(value);
        frames.endFrame();
        frames.flush();
        return skipOperation(frames.readFrame()).getLong();
    }

    @Override
    public void incAll(long[] values, long[] results) throws IOException {
        exchange(
                values.length,
                i -> frames.beginFrame(1 + Long.BYTES).put(UdsServer.INC).putLong(values[i]),
                (i, input, length) -> results[i] = input.getLong());
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws IOException {
        exchange(
                values.length,
                i -> frames.beginFrame(1 + values[i].length)
                        .put(UdsServer.BYTES)
                        .put(values[i]),
                (i, input, length) -> results[i] = WireCodec.readBytes(input, length));
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws IOException {
        exchange(
                values.length,
                i -> writeString(values[i]),
                (i, input, length) -> results[i] = WireCodec.readString(input, length));
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws IOException {
        exchange(
                values.length,
                i -> writeOrder(values[i]),
                (i, input, length) -> results[i] = WireCodec.readOrder(input));
    }

    private void writeOrder(Order order) throws IOException {
        WireCodec.writeOrder(frames.beginFrame(1 + WireCodec.maxBytes(order)).put(UdsServer.ORDER), order);
    }

    private void writeString(String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        frames.beginFrame(1 + bytes.length).put(UdsServer.STRING).put(bytes);
    }

    private void exchange(int count, Writer writer, Reader reader) throws IOException {
        if (frameBytes.length < count) {
            frameBytes = Arrays.copyOf(frameBytes, count);
        }
        int sent = 0;
        int received = 0;
        int underWay = 0;
        while (received < count) {
            if (sent < count && underWay <= WINDOW_BYTES / 2) {
                do {
                    writer.write(sent);
                    frameBytes[sent] = frames.endFrame();
                    underWay += frameBytes[sent];
                    sent++;
                } while (sent < count && underWay + frameBytes[sent - 1] <= WINDOW_BYTES);
                frames.flush();
            }
            do {
                ByteBuffer input = frames.readFrame();
                int length = frames.payloadBytes() - 1;
                reader.read(received, skipOperation(input), length);
                underWay -= frameBytes[received];
                received++;
            } while (received < sent && frames.hasFrame());
        }
    }

    private static ByteBuffer skipOperation(ByteBuffer input) {
        return input.position(input.position() + 1);
    }

    private interface Writer {
        void write(int index) throws IOException;
    }

    private interface Reader {
        void read(int index, ByteBuffer input, int length) throws IOException;
    }

    @Override
    public String name() {
        return "uds";
    }

    @Override
    public Kind kind() {
        return Kind.PROCESS;
    }

    @Override
    public void close() throws IOException {
        frames.close();
        child.close();
    }
}

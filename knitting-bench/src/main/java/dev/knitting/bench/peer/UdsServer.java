package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;

/** The child of {@link UdsPeer}: answers frames in order on one connection. */
final class UdsServer {
    static final byte INC = 1;
    static final byte BYTES = 2;
    static final byte STRING = 3;
    static final byte ORDER = 4;

    /** Answers leave when no question is left, or earlier at this size, so that the other side can begin. */
    private static final int EARLY_FLUSH_BYTES = 32 << 10;

    private final FrameChannel frames;

    private UdsServer(FrameChannel frames) {
        this.frames = frames;
    }

    /** Argument: the path to listen on. Prints a line when it listens. */
    public static void main(String[] args) throws IOException {
        ChildJvm.endWithParent();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(args[0]));
            System.out.println("ready");
            try (FrameChannel frames = new FrameChannel(UdsPeer.tuned(listener.accept()))) {
                new UdsServer(frames).serve();
            }
        }
    }

    /** Ends by the end of the JVM, see {@link ChildJvm#endWithParent}, or of the connection. */
    private void serve() throws IOException {
        while (true) {
            if (frames.unflushedBytes() >= EARLY_FLUSH_BYTES || !frames.hasFrame()) {
                frames.flush();
            }
            ByteBuffer input = frames.readFrame();
            int length = frames.payloadBytes() - 1;
            answer(input.get(), input, length);
            frames.endFrame();
        }
    }

    private void answer(byte operation, ByteBuffer input, int length) throws IOException {
        switch (operation) {
            case INC -> {
                long result = BenchTasks.inc(input.getLong());
                frames.beginFrame(1 + Long.BYTES).put(INC).putLong(result);
            }
            case BYTES -> {
                byte[] result = BenchTasks.echoBytes(WireCodec.readBytes(input, length));
                frames.beginFrame(1 + length).put(BYTES).put(result);
            }
            case STRING -> {
                String result = BenchTasks.echoString(WireCodec.readString(input, length));
                byte[] bytes = result.getBytes(UTF_8);
                frames.beginFrame(1 + bytes.length).put(STRING).put(bytes);
            }
            case ORDER -> {
                Order result = BenchTasks.echoOrder(WireCodec.readOrder(input));
                WireCodec.writeOrder(
                        frames.beginFrame(1 + WireCodec.maxBytes(result)).put(ORDER), result);
            }
            default -> throw new IOException("unknown operation: number=" + operation);
        }
    }
}

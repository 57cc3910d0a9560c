package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.aeron.Aeron;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The child of {@link AeronPeer}: polls for calls and answers each in the handler, in order. */
final class AeronServer {
    static final int INC = 1;
    static final int BYTES = 2;
    static final int STRING = 3;
    static final int ORDER = 4;
    /** Sleep until the next call. */
    static final int PAUSE = 5;

    private final AeronLink link;
    private final UnsafeBuffer reply = new UnsafeBuffer(0, 0);
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(1 << 16);
    private boolean isPaused;

    private AeronServer(Aeron aeron, boolean isSpinning) {
        link = new AeronLink(aeron, AeronLink.REPLIES, AeronLink.CALLS, isSpinning, this::answer);
    }

    /** Arguments: the driver's directory, and whether to spin while there is nothing to do. */
    public static void main(String[] args) throws IOException, InterruptedException {
        ChildJvm.endWithParent();
        Aeron aeron = Aeron.connect(AeronPeer.context(args[0]));
        new AeronServer(aeron, Boolean.parseBoolean(args[1])).serve();
    }

    private void serve() throws IOException, InterruptedException {
        while (!link.isConnected()) {
            Thread.sleep(1);
        }
        System.out.println("ready");
        while (true) {
            if (!isPaused) {
                link.pollOrIdle();
            } else if (link.poll() == 0) {
                Thread.sleep(1);
            }
        }
    }

    private void answer(DirectBuffer buffer, int offset, int length, Header header) {
        try {
            int operation = buffer.getInt(offset);
            isPaused = operation == PAUSE;
            answer(operation, buffer, offset + AeronLink.HEADER_BYTES, length - AeronLink.HEADER_BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answer(int operation, DirectBuffer buffer, int offset, int length) throws IOException {
        switch (operation) {
            case INC -> link.sendLong(INC, BenchTasks.inc(buffer.getLong(offset)));
            case BYTES -> reply(BYTES, BenchTasks.echoBytes(bytes(buffer, offset, length)));
            case STRING ->
                reply(
                        STRING,
                        BenchTasks.echoString(new String(bytes(buffer, offset, length), UTF_8))
                                .getBytes(UTF_8));
            case ORDER -> {
                Order result = BenchTasks.echoOrder(readOrder(scratch, buffer, offset, length));
                link.send(ORDER, writeOrder(scratch, reply, result), scratch.position());
            }
            case PAUSE -> {}
            default -> throw new IOException("unknown operation: number=" + operation);
        }
    }

    private void reply(int operation, byte[] bytes) throws IOException {
        reply.wrap(bytes);
        link.send(operation, reply, bytes.length);
    }

    static byte[] bytes(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    static Order readOrder(ByteBuffer scratch, DirectBuffer buffer, int offset, int length) {
        buffer.getBytes(offset, scratch.clear(), 0, length);
        return WireCodec.readOrder(scratch);
    }

    /** Its length is then the position of {@code scratch}. */
    static UnsafeBuffer writeOrder(ByteBuffer scratch, UnsafeBuffer view, Order order) {
        WireCodec.writeOrder(scratch.clear(), order);
        view.wrap(scratch);
        return view;
    }
}

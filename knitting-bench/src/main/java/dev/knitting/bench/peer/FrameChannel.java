package dev.knitting.bench.peer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Length-prefixed frames over a blocking socket, through one direct buffer each way. Frames gather in the output buffer
 * until {@link #flush}, and one read takes as many as there are. Not thread-safe.
 */
final class FrameChannel implements AutoCloseable {
    /** Bytes before a frame's payload: its length. */
    static final int HEADER_BYTES = 4;

    private static final int CAPACITY = 4 << 20;

    private final SocketChannel channel;
    private final ByteBuffer input = ByteBuffer.allocateDirect(CAPACITY).limit(0);
    private final ByteBuffer output = ByteBuffer.allocateDirect(CAPACITY);
    private int frameStart;

    FrameChannel(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Starts a frame.
     *
     * @return the buffer to put its payload into, at most so many bytes
     */
    ByteBuffer beginFrame(int maxPayloadBytes) throws IOException {
        if (maxPayloadBytes > CAPACITY - HEADER_BYTES) {
            throw new IllegalArgumentException(
                    "frame too large: length=" + maxPayloadBytes + ", limit=" + (CAPACITY - HEADER_BYTES));
        }
        if (output.remaining() < HEADER_BYTES + maxPayloadBytes) {
            flush();
        }
        frameStart = output.position();
        return output.position(frameStart + HEADER_BYTES);
    }

    /**
     * Ends the frame.
     *
     * @return its length, header included
     */
    int endFrame() {
        int frameBytes = output.position() - frameStart;
        output.putInt(frameStart, frameBytes - HEADER_BYTES);
        return frameBytes;
    }

    /** How many bytes wait for {@link #flush}. */
    int unflushedBytes() {
        return output.position();
    }

    /** Writes all ended frames. */
    void flush() throws IOException {
        output.flip();
        while (output.hasRemaining()) {
            channel.write(output);
        }
        output.clear();
    }

    /** Whether a whole frame can be read without waiting. */
    boolean hasFrame() {
        return input.remaining() >= HEADER_BYTES && input.remaining() - HEADER_BYTES >= input.getInt(input.position());
    }

    /**
     * Waits for a whole frame.
     *
     * @return the buffer, at the frame's payload; the reader takes exactly the payload
     * @throws EOFException if the other side closed the connection
     */
    ByteBuffer readFrame() throws IOException {
        if (!hasFrame()) {
            input.compact();
            do {
                if (channel.read(input) < 0) {
                    throw new EOFException("the other side closed the connection");
                }
            } while (!holdsFrame());
            input.flip();
        }
        return input.position(input.position() + HEADER_BYTES);
    }

    /** As {@link #hasFrame}, while the buffer is being filled. */
    private boolean holdsFrame() {
        return input.position() >= HEADER_BYTES && input.position() - HEADER_BYTES >= input.getInt(0);
    }

    /** The payload length of the frame that {@link #readFrame} returned, before any of it was taken. */
    int payloadBytes() {
        return input.getInt(input.position() - HEADER_BYTES);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

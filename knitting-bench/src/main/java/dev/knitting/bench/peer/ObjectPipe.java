package dev.knitting.bench.peer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;

/**
 * Java serialization over two pipes, buffered by as much as a pipe holds.
 *
 * <p>The streams' memory of objects already sent is dropped at each flush: that is once a batch, so the descriptions of
 * classes are sent once a batch too, and no object is kept alive for longer or sent as a reference to a stale copy.
 */
final class ObjectPipe {
    /** What a pipe holds on Linux. */
    static final int BUFFER_BYTES = 64 << 10;

    private final BufferedInputStream bytes;
    private final ObjectInputStream input;
    private final ObjectOutputStream output;

    /** Both sides write the stream's header before they read the other's. */
    ObjectPipe(InputStream input, OutputStream output) throws IOException {
        this.output = new ObjectOutputStream(new BufferedOutputStream(output, BUFFER_BYTES));
        this.output.flush();
        this.bytes = new BufferedInputStream(input, BUFFER_BYTES);
        this.input = new ObjectInputStream(bytes);
    }

    ObjectInputStream input() {
        return input;
    }

    ObjectOutputStream output() {
        return output;
    }

    /** Reads an object and insists on its type. */
    <T> T read(Class<T> type) throws IOException, ClassNotFoundException {
        return type.cast(input.readObject());
    }

    /** Whether there is more to read without waiting. */
    boolean hasInput() throws IOException {
        return input.available() > 0 || bytes.available() > 0;
    }

    /** Sends what was written, and forgets it. */
    void flush() throws IOException {
        output.reset();
        output.flush();
    }
}

package dev.knitting.bench.peer;

import java.io.IOException;
import java.io.InputStream;

/**
 * Java serialization over the standard input and output of a child JVM.
 *
 * <p>The window bounds the bytes that are under way, one message at least. It is smaller than what a pipe holds, so the
 * two sides can never both wait for the other to read. It is refilled when half of it is free.
 */
final class PipesPeer implements Peer {
    private static final int WINDOW_BYTES = 48 << 10;
    private static final int INC_BYTES = 16;
    /** A description of the classes comes with the first one. */
    private static final int ORDER_BYTES = 900;

    private static final int OBJECT_BYTES = 32;

    private final ChildJvm child;
    private final ObjectPipe pipe;

    PipesPeer() throws IOException {
        child = ChildJvm.start(PipesServer.class);
        try {
            InputStream input = child.process().getInputStream();
            pipe = new ObjectPipe(input, child.process().getOutputStream());
        } catch (IOException e) {
            child.close();
            throw e;
        }
    }

    @Override
    public long inc(long value) throws IOException {
        writeInc(value);
        pipe.flush();
        return pipe.input().readLong();
    }

    private void writeInc(long value) throws IOException {
        pipe.output().writeByte(PipesServer.INC);
        pipe.output().writeLong(value);
    }

    @Override
    public void incAll(long[] values, long[] results) throws IOException, ClassNotFoundException {
        exchange(
                values.length,
                INC_BYTES,
                i -> writeInc(values[i]),
                i -> results[i] = pipe.input().readLong());
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws IOException, ClassNotFoundException {
        exchange(
                values.length,
                values[0].length + OBJECT_BYTES,
                i -> writeObject(PipesServer.BYTES, values[i]),
                i -> results[i] = pipe.read(byte[].class));
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws IOException, ClassNotFoundException {
        exchange(
                values.length,
                values[0].length() + OBJECT_BYTES,
                i -> writeObject(PipesServer.STRING, values[i]),
                i -> results[i] = pipe.read(String.class));
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws IOException, ClassNotFoundException {
        exchange(
                values.length,
                ORDER_BYTES,
                i -> writeObject(PipesServer.ORDER, values[i]),
                i -> results[i] = pipe.read(Order.class));
    }

    private void writeObject(byte operation, Object value) throws IOException {
        pipe.output().writeByte(operation);
        pipe.output().writeObject(value);
    }

    private void exchange(int count, int messageBytes, Writer writer, Reader reader)
            throws IOException, ClassNotFoundException {
        int window = Math.max(1, WINDOW_BYTES / messageBytes);
        int sent = 0;
        for (int received = 0; received < count; received++) {
            if (sent < count && sent - received <= window / 2) {
                int end = Math.min(count, received + window);
                while (sent < end) {
                    writer.write(sent++);
                }
                pipe.flush();
            }
            reader.read(received);
        }
    }

    private interface Writer {
        void write(int index) throws IOException;
    }

    private interface Reader {
        void read(int index) throws IOException, ClassNotFoundException;
    }

    @Override
    public String name() {
        return "pipes";
    }

    @Override
    public Kind kind() {
        return Kind.PROCESS;
    }

    @Override
    public void close() throws IOException {
        child.close();
    }
}

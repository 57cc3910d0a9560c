package dev.knitting.bench.peer;

import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;

/** The child of {@link PipesPeer}: answers messages in order, from its standard input to its standard output. */
final class PipesServer {
    static final byte INC = 1;
    static final byte BYTES = 2;
    static final byte STRING = 3;
    static final byte ORDER = 4;

    private final ObjectPipe pipe;

    private PipesServer(ObjectPipe pipe) {
        this.pipe = pipe;
    }

    /** No arguments. Ends at the end of its input, and so with its parent. */
    public static void main(String[] args) throws Exception {
        ObjectPipe pipe =
                new ObjectPipe(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
        try {
            new PipesServer(pipe).serve();
        } catch (EOFException e) {
            // The parent closed the pipe, or died.
            Runtime.getRuntime().halt(0);
        }
    }

    private void serve() throws IOException, ClassNotFoundException {
        while (true) {
            if (!pipe.hasInput()) {
                pipe.flush();
            }
            answer(pipe.input().readByte());
        }
    }

    private void answer(byte operation) throws IOException, ClassNotFoundException {
        ObjectOutputStream output = pipe.output();
        switch (operation) {
            case INC -> output.writeLong(BenchTasks.inc(pipe.input().readLong()));
            case BYTES -> output.writeObject(BenchTasks.echoBytes(pipe.read(byte[].class)));
            case STRING -> output.writeObject(BenchTasks.echoString(pipe.read(String.class)));
            case ORDER -> output.writeObject(BenchTasks.echoOrder(pipe.read(Order.class)));
            default -> throw new IOException("unknown operation: number=" + operation);
        }
    }
}

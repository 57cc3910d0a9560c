package dev.knitting.bench.peer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** {@link Limit} as a peer. A value must be positive and differ from the one before. */
final class LimitPeer implements Peer {
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Arena arena = Arena.ofShared();
    private final Limit limit;
    private final ChildJvm child;
    private final CompletableFuture<Void> gone;
    private long reply;

    LimitPeer() throws IOException {
        Path file = createFile();
        try {
            Files.write(file, new byte[(int) Limit.SIZE]);
            limit = Limit.map(file, arena);
            child = ChildJvm.start(Limit.class, file.toString());
            child.readLine();
        } finally {
            Files.delete(file);
        }
        gone = child.process().onExit().thenRun(limit::gone);
    }

    /** In memory where that is possible: the pages of a file on a disk get written back while we measure. */
    static Path createFile() throws IOException {
        return Files.isWritable(MEMORY)
                ? Files.createTempFile(MEMORY, "knitting-limit", null)
                : Files.createTempFile("knitting-limit", null);
    }

    @Override
    public long inc(long value) {
        reply = limit.call(value, reply);
        return reply;
    }

    @Override
    public boolean supports(Op op) {
        return op == Op.INC_SYNC;
    }

    @Override
    public void pause() {
        limit.pause();
    }

    @Override
    public String name() {
        return "limit";
    }

    @Override
    public Kind kind() {
        return Kind.LIMIT;
    }

    @Override
    public void close() throws IOException {
        child.close();
        gone.join();
        arena.close();
    }
}

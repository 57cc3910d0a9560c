package dev.knitting.bench.peer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** {@link ParkLimit} as a peer: two JVMs wake each other by futex. */
final class ParkLimitPeer implements Peer {
    private final Arena arena = Arena.ofShared();
    private final ParkLimit limit;
    private final ChildJvm child;
    private final CompletableFuture<Void> gone;

    ParkLimitPeer() throws IOException {
        Path file = LimitPeer.createFile();
        try {
            Files.write(file, new byte[(int) Limit.SIZE]);
            limit = new ParkLimit(Limit.map(file, arena).words());
            child = ChildJvm.start(ParkLimit.JVM_OPTIONS, ParkLimit.class, file.toString());
            child.readLine();
        } finally {
            Files.delete(file);
        }
        gone = child.process().onExit().thenRun(limit::gone);
    }

    @Override
    public long inc(long value) throws IOException {
        return limit.call(value);
    }

    @Override
    public boolean supports(Op op) {
        return op == Op.INC_SYNC;
    }

    @Override
    public String name() {
        return "limit-park";
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

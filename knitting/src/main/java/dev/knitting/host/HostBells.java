package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.doorbell.BellRinger;
import dev.knitting.doorbell.BellSleeper;
import dev.knitting.doorbell.FutexRinger;
import dev.knitting.doorbell.FutexSleeper;
import dev.knitting.doorbell.SocketDoor;
import dev.knitting.doorbell.SocketSleeper;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SharedSegment;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bells of one pool: the host's own, on which its leader sleeps, and the way to ring each worker. */
final class HostBells implements AutoCloseable {
    private final BellSleeper sleeper;
    private final @Nullable SocketDoor door;

    HostBells(boolean futex, List<SharedSegment> segments) {
        MemorySegment[] memories = segments.stream().map(SharedSegment::memory).toArray(MemorySegment[]::new);
        long[] offsets = new long[memories.length];
        Arrays.fill(offsets, SegmentHeaderLayout.HOST_BELL_OFFSET);
        if (futex) {
            this.sleeper = new FutexSleeper(memories, offsets);
            this.door = null;
            return;
        }
        try {
            SocketSleeper socketSleeper = new SocketSleeper(memories, offsets);
            this.sleeper = socketSleeper;
            this.door = SocketDoor.open(socketSleeper);
        } catch (IOException e) {
            throw new KnittingException(
                    ErrorCode.STARTUP_FAILED,
                    KnittingException.message("the socket for doorbells cannot be opened", "option", "doorbells"),
                    e);
        }
    }

    BellSleeper sleeper() {
        return sleeper;
    }

    /** How to wake the worker whose bell word is at this offset. */
    BellRinger ringerFor(int worker, MemorySegment memory, long bellOffset) {
        return door == null ? new FutexRinger(memory.address() + bellOffset) : door.ringerFor(worker);
    }

    /** What a worker needs to ring and to be rung: empty for futexes, else the socket's path. */
    String workerArgument() {
        return door == null ? "" : door.path().toString();
    }

    @Override
    public void close() {
        if (door != null) {
            door.close();
        }
        sleeper.close();
    }
}

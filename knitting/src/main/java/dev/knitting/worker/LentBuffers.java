package dev.knitting.worker;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.SharedBuffer;
import dev.knitting.codec.BufferHandle;
import dev.knitting.codec.BufferViews;
import dev.knitting.mailbox.LaneView;
import dev.knitting.memory.SharedSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The shared buffers that a worker process has at the moment, each for one call. Its memory is the host's: nothing is
 * taken or freed here, and what is left when the process dies is let go with its calls.
 *
 * <p>The loop's thread, but for {@link #lend} and the handles themselves.
 */
final class LentBuffers {
    private static final long CLOSE_PAUSE_NANOS = 50_000;
    private static final int LOOKS_BEFORE_NAP = 10_000;

    private final SharedSegment segment;
    /** Where shared buffers start in the segment. */
    private final long area;

    private final Thread loop;
    /** Guarded by itself. */
    private final List<LentHandle> open = new ArrayList<>();

    LentBuffers(SharedSegment segment, long area, Thread loop) {
        this.segment = segment;
        this.area = area;
        this.loop = loop;
    }

    /** Whether a buffer may be named in this call's result. */
    static boolean mayLeave(long callId, BufferHandle whole) {
        return whole instanceof LentHandle handle && handle.isOf(callId);
    }

    /** A buffer that the host names; null if no host would. */
    @Nullable
    SharedBuffer arriving(long callId, long id, long start, long size) {
        if (size < 1 || start < area || start > segment.length() - size) {
            return null;
        }
        return lend(callId, id, start, size);
    }

    /** A handle for a call. */
    LentHandle lend(long callId, long id, long start, long size) {
        LentHandle handle = new LentHandle(this, callId, id, start, size, new BufferViews(segment, start, size, loop));
        synchronized (open) {
            open.add(handle);
        }
        return handle;
    }

    /**
     * Waits for the host's answer to a request.
     *
     * @throws KnittingException with the host's reason
     */
    LentHandle granted(LaneView lane, long callId, long request, long bytes) {
        for (int looks = 0; lane.grantNumberAcquire() != request; looks++) {
            if (lane.isStopRequestedAcquire()) {
                throw KnittingException.of(ErrorCode.POOL_CLOSED, "the pool is closed", "what", "allocate");
            }
            if (looks < LOOKS_BEFORE_NAP) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(CLOSE_PAUSE_NANOS); // returns at once if the call was interrupted: then it spins
            }
        }
        long id = lane.grantIdPlain();
        if (id < 0) {
            throw KnittingException.of(
                    ErrorCode.of((int) -id),
                    "no shared buffer for the task",
                    "length",
                    bytes,
                    "option",
                    "payload.buffersBytes");
        }
        return lend(callId, id, lane.grantStartPlain(), bytes);
    }

    /** Whether a call has buffers. */
    boolean hasAny(long callId) {
        synchronized (open) {
            for (LentHandle handle : open) {
                if (handle.isOf(callId)) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * A call has ended, and its result was encoded: no view of it is left afterwards. Waits for threads that the task left
     * in an I/O call with one, since the host gives the memory to somebody else as soon as it has the answer.
     */
    void end(long callId) {
        synchronized (open) {
            for (int i = open.size() - 1; i >= 0; i--) {
                if (open.get(i).isOf(callId)) {
                    close(open.remove(i));
                }
            }
        }
    }

    private static void close(LentHandle handle) {
        while (true) {
            try {
                handle.views().close();
                return;
            } catch (IllegalStateException e) { // in an I/O call
                LockSupport.parkNanos(CLOSE_PAUSE_NANOS);
            }
        }
    }
}

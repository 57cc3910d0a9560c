package dev.knitting;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a running task can ask about itself. Outside a worker it is a context that is never cancelled, so that tasks stay
 * testable as plain methods.
 *
 * <p>A context belongs to one call: kept beyond its end, it speaks of no other. Other threads that a task starts may use
 * it; {@link #current()} is for the task's own thread.
 */
public interface TaskContext {
    /** The context of the calling thread's task, or the one for code outside a worker. Never null. */
    static TaskContext current() {
        return Thread.currentThread() instanceof Carrier carrier ? carrier.taskContext() : OutsideContext.INSTANCE;
    }

    /** Whether the calling thread runs tasks of a pool. */
    static boolean inWorker() {
        return Thread.currentThread() instanceof Carrier;
    }

    /** Number of the worker within its pool, from 0; -1 outside a worker. */
    int workerId();

    /**
     * Whether the call shall stop: it was cancelled, settled from outside, timed out or {@linkplain Call#abort aborted}.
     * Once true, it stays so. Cheap enough for an inner loop: one look at memory. Outside a worker false.
     */
    boolean cancelled();

    /**
     * Throws if {@link #cancelled()}.
     *
     * @throws java.util.concurrent.CancellationException with the reason, if one was given
     */
    void throwIfCancelled();

    /**
     * Time until the call's deadline, zero if it has passed; {@link java.time.temporal.ChronoUnit#FOREVER} if it has none,
     * and outside a worker.
     */
    Duration remaining();

    /**
     * Says how far the task is, to whoever {@linkplain Call#onProgress listens} in the host. Never blocks: of several
     * reports in a row some may get lost, but never the last one before the task ends. Reports of a thread other than the
     * one that runs the task wait for that one's next report or its end. Outside a worker nothing happens.
     *
     * @param done units of work that are done
     * @param total units of work in all; 0 or less if unknown
     * @param note what it is at, or null
     */
    void progress(long done, long total, @Nullable String note);

    /**
     * Makes a buffer for a result: the task fills it and returns it, alone or inside its result, and the host has it
     * without a copy. What is not returned is freed when the call has settled. (A worker thread to which values go by
     * reference closes what it does not return.) On the task's own thread only. Outside a worker it is plain memory, so
     * that tasks stay testable; it does not cross.
     *
     * @param bytes its length, from 1
     * @return zeroed memory
     * @throws KnittingException {@link ErrorCode#ARENA_FULL}, {@link ErrorCode#OUT_OF_SHARED_MEMORY}
     * @throws IllegalArgumentException if the length is not positive
     * @throws IllegalStateException on another thread, or between calls
     */
    SharedBuffer allocate(long bytes);

    /** Implemented by the threads that run tasks; users never implement it. */
    interface Carrier {
        /** The context of the task that this thread runs. */
        TaskContext taskContext();
    }
}

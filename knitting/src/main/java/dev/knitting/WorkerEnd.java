package dev.knitting;

/**
 * How one worker ended, for a {@link PoolListener}.
 *
 * @param worker its number within the pool
 * @param pid of its process, or -1 for a thread
 * @param reason why
 * @param orderly whether it ended by itself after it was asked to; false if the pool had to end it, or if it ended unasked
 * @param callsLost how many calls it had entered and not answered
 * @param description for people: exit code, signal, last output
 */
public record WorkerEnd(int worker, long pid, Reason reason, boolean orderly, int callsLost, String description) {
    /** Why a worker ended. The first cause counts: what the pool ended is no crash. */
    public enum Reason {
        /** A signal, or a crash of the JVM. */
        CRASHED,
        /** Its process exited: a task called {@code System.exit} or {@code Runtime.halt}. */
        EXITED,
        /** Its heap was exhausted: the JVM ended, or a task failed so and the worker was replaced. */
        OUT_OF_MEMORY,
        /** The kernel ended it, and says so, because its control group was out of memory. */
        MEMORY_KILLED,
        /** A call had reached its hard timeout. */
        HARD_TIMEOUT,
        /** A cancelled or timed-out call went on for longer than its {@code killAfter}. */
        KILLED_AFTER_CANCEL,
        /** It did not get as far as accepting calls. */
        STARTUP_FAILED,
        /** It was replaced by {@link Pool#recycle} or {@code recycleAfter}. */
        RECYCLED,
        /** The pool was closed. */
        CLOSED
    }
}

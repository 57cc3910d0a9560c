package dev.knitting;

/**
 * Stable codes of everything that can go wrong in a pool. A number is never reused; host and worker share them.
 *
 * <p>A task's own exception is {@link #TASK_FAILED}; all other codes speak of the pool, the payload or the worker.
 */
public enum ErrorCode {
    /** The task threw. See {@link TaskFailedException}. */
    TASK_FAILED(1),
    /** A value has a type that does not cross: message names type and place. */
    UNSUPPORTED_PAYLOAD(2),
    /** A value is larger than the per-call cap ({@code payload.maxBytes}). */
    PAYLOAD_TOO_LARGE(3),
    /** The arena of one direction is full and cannot grow ({@code payload.ceilingBytes}). */
    ARENA_FULL(4),
    /** The operating system has no memory left to back a segment. */
    OUT_OF_SHARED_MEMORY(5),
    /** The worker knows no such class or method, or its shape does not fit. */
    TASK_NOT_FOUND(6),
    /** A worker did not get as far as accepting calls. */
    STARTUP_FAILED(7),
    /** A worker ended by a signal or a crash while it held the call. */
    WORKER_CRASHED(8),
    /** A worker's process ended with an exit code while it held the call. */
    WORKER_EXITED(9),
    /** The pool was closed before the call could run, or while it ran. */
    POOL_CLOSED(10),
    /** The host queue is full and its policy says so. */
    QUEUE_FULL(11),
    /** The calling thread was interrupted while it waited. */
    INTERRUPTED(12),
    /** The peer's segment has another layout. */
    LAYOUT_MISMATCH(13),
    /** The peer wrote bytes that no correct peer writes: the call that they belong to fails. */
    CORRUPT_PEER(14),
    /** An option, or a combination of options, that cannot work. */
    BAD_OPTION(15),
    /** What was handed to {@link Task} or to the pool as a function cannot leave the host. */
    BAD_TASK(16),
    /** The platform lacks what an explicit option asks for. */
    UNSUPPORTED_PLATFORM(17),
    /** More tasks than a pool can number (65,536). */
    TOO_MANY_TASKS(18),
    /** The call did not settle within its {@code timeout}, counted from submission. Its work was told to stop. */
    TIMEOUT(30),
    /** The call ran for longer than its {@code hardTimeout}: its worker was killed, or its thread left behind. */
    HARD_TIMEOUT(31),
    /** The heap of the worker that held the call was exhausted, and its JVM could not go on. */
    OUT_OF_MEMORY(32),
    /** The kernel says that it killed a process of the worker's control group for lack of memory. */
    MEMORY_KILLED(33),
    /** The pool ended the worker on account of another call, which the message names. */
    WORKER_LOST(34),
    /** Too many workers died while they held the call. */
    CALL_POISONED(35),
    /** A pool was used that was opened inside a worker: it has no workers of its own. */
    NESTED_POOL(40);

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The stable number of this code, as it travels between host and worker. */
    public int number() {
        return number;
    }

    /**
     * The code with this number.
     *
     * @throws IllegalArgumentException if no code has it
     */
    public static ErrorCode of(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        throw new IllegalArgumentException("unknown error code: number=" + number);
    }
}

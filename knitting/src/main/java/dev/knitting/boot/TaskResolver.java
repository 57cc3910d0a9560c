package dev.knitting.boot;

/** Where a worker finds a task by its number. Asked once a task; the worker keeps the answer. */
public interface TaskResolver extends AutoCloseable {
    /**
     * The task with this number.
     *
     * @throws dev.knitting.KnittingException TASK_NOT_FOUND, and why
     */
    BoundTask resolve(int id);

    /** How many tasks are known now. */
    int count();

    /** What people call the task with this number, which was resolved; for debug lines. */
    String describe(int id);

    /**
     * Runs the pool's start hook, once, before the first task is asked for.
     *
     * @param hook see {@link StartHook}
     * @throws dev.knitting.KnittingException STARTUP_FAILED or TASK_NOT_FOUND: the worker must not start
     */
    void start(byte[] hook);

    /** The worker runs no task any more: ends what its tasks held. */
    @Override
    default void close() {}
}

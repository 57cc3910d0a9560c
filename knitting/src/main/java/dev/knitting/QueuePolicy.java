package dev.knitting;

/** What {@code submit} does when as many calls wait as the queue may hold. */
public enum QueuePolicy {
    /** The caller waits for room; callbacks and workers never do: for them the call is queued all the same. */
    BLOCK,
    /** The call fails with {@link ErrorCode#QUEUE_FULL}. */
    REJECT,
    /**
     * The caller runs the task itself, in the host, with payloads copied as workers get them. Processes exist to keep tasks
     * out of the host: their pools refuse this without {@link PoolBuilder#allowOnHost}. Named tasks, services and async
     * tasks never run so: for them the caller waits for room. Callbacks and workers neither run nor wait.
     */
    CALLER_RUNS
}

package dev.knitting;

/** What {@code submit} does when as many calls wait as the queue may hold. */
public enum QueuePolicy {
    /** The caller waits for room; callbacks and workers never do: for them the call is queued all the same. */
    BLOCK,
    /** The call fails with {@link ErrorCode#QUEUE_FULL}. */
    REJECT
}

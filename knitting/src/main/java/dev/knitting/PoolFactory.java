package dev.knitting;

/**
 * The seam between what users see and the engine behind it: found by {@link java.util.ServiceLoader}, so that this
 * package depends on nothing. Users never call it.
 */
public interface PoolFactory {
    /**
     * Opens a pool and waits until its workers accept calls.
     *
     * @param options validated options
     * @return an open pool
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} or another code; nothing is left behind then
     */
    Pool open(PoolOptions options);

    /** A pool that runs each call on the submitting thread, copying payloads. */
    Pool direct(PoolOptions options);

    /** Memory of no pool, for tasks that are run as plain methods. */
    SharedBuffer allocate(long bytes);
}

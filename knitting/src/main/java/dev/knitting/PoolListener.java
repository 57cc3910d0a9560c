package dev.knitting;

/**
 * Is told when workers of a pool start and end. The methods run on a thread of the pool, one at a time and in order; what
 * they throw is logged and harms nobody. A listener that blocks delays its own next event and nothing else.
 */
public interface PoolListener {
    /**
     * A worker accepts calls.
     *
     * @param worker its number within the pool
     * @param pid of its process, or -1 for a thread
     */
    default void workerStarted(int worker, long pid) {}

    /** A worker has ended, or was given up. */
    default void workerEnded(WorkerEnd end) {}
}

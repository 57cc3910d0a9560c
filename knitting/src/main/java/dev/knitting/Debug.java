package dev.knitting;

/**
 * What a pool tells about itself on standard error, for people who look for the reason of something. Nothing by default;
 * {@link PoolBuilder#debug} and the environment variable {@value #VARIABLE} of the host (names separated by commas, or
 * {@code all}) switch namespaces on, and add up.
 *
 * <p>A line starts with {@code [namespace.source.+ms]}. The source is the pool's name in the host and {@code name-index} in
 * a worker; the time counts from the opening of the pool, in host and workers alike, so that lines can be sorted by it.
 */
public enum Debug {
    /**
     * What the pool was opened with and who opened it, what it chose (dispatcher, lanes, memory, doorbells), how workers are
     * started, and each task as it is announced. The host only.
     */
    HOST,
    /** Which classes a worker takes its tasks from, and how long that took. */
    IMPORTS,
    /** Starts, ends and replacements of workers, and the closing of the pool. */
    LIFECYCLE,
    /** Each call that a worker enters, its result, and each time the worker has nothing to do. Slows calls down. */
    SIGNALS,
    /**
     * Each claim of a worker that shares its submit mailbox with others: the call's ticket, its slot, how many calls others
     * took since this worker's last claim, and how many it saw and lost meanwhile. Slows calls down.
     */
    STEAL,
    /**
     * What has changed of a worker process's global state: system properties (names only), threads, default locale and time
     * zone, standard streams. Once for the tasks that were resolved at its start, once for the calls at its end.
     */
    GLOBALS;

    /** The environment variable. */
    public static final String VARIABLE = "KNITTING_DEBUG";
}

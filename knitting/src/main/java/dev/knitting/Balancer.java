package dev.knitting;

/**
 * How the host chooses a worker for a call, if each has a mailbox of its own. Choosing one switches the default of {@link
 * Stealing} off: where all workers serve one mailbox, nobody chooses. A worker whose mailbox is full is passed over; of
 * calls of {@linkplain Task#async async tasks} the worker with the fewest open ones takes the next, whatever is said here.
 */
public enum Balancer {
    /** An idle worker that is awake, else an idle one, else the one with the fewest open calls. The default. */
    LEAST_LOADED,
    /** One after the other. */
    ROUND_ROBIN,
    /** The first idle worker, by number, else as {@link #ROUND_ROBIN}. */
    FIRST_IDLE,
    /** Any. */
    RANDOM,
    /** The first idle worker, by number, else as {@link #RANDOM}. */
    FIRST_IDLE_OR_RANDOM
}

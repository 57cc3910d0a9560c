package dev.knitting;

/**
 * The host takes part in the work: one thread of its own runs calls as a worker would, one at a time, when enough calls are
 * with the workers. It takes what {@link QueuePolicy#CALLER_RUNS} could take, with payloads copied as workers get them: not
 * named tasks, services and async tasks; and no call with a time limit, which only a worker can be held to. A cancelled call
 * that it runs settles, its work goes on.
 *
 * <p>Processes exist to keep tasks out of the host: their pools refuse this without {@link PoolBuilder#allowOnHost}. An
 * inliner switches the default of {@link Stealing} off.
 *
 * @param place when the host's turn is
 * @param threshold how many calls must be with workers, or wait for them, before the host takes one; at least 1
 */
public record Inliner(Place place, int threshold) {
    /** When the host's turn is. */
    public enum Place {
        /** Before the workers'. */
        FIRST,
        /** When no worker is idle. */
        LAST
    }

    /** Checks the range. */
    public Inliner {
        PoolOptions.checkRange("tuning.inliner.threshold", threshold, 1, 1 << 20);
    }

    /** When no worker is idle and at least one call is open. */
    public static Inliner last() {
        return new Inliner(Place.LAST, 1);
    }

    /** Before the workers, when at least one call is open. */
    public static Inliner first() {
        return new Inliner(Place.FIRST, 1);
    }

    /** With another threshold, 1 to 1,048,576. */
    public Inliner threshold(int calls) {
        return new Inliner(place, calls);
    }
}

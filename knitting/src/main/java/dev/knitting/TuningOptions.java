package dev.knitting;

import java.time.Duration;

/**
 * Spinning, parking and measuring. Immutable: each method returns changed options.
 *
 * @param spin how long an idle side looks at memory before it sleeps, if there are cores for it; zero is honoured
 * @param park longest sleep without looking; a safety net, not a polling period
 * @param measureEachCall whether workers read the clock for every call, so that each {@link Call#runTime} is known
 * @param asyncInFlight most calls of async tasks that one worker has open at a time; more wait in the host's queue
 * @param deliverWhenIdle whether a worker keeps its results until no other call waits for it
 * @param dispatch who gives calls to whom
 */
public record TuningOptions(
        Duration spin,
        Duration park,
        boolean measureEachCall,
        int asyncInFlight,
        boolean deliverWhenIdle,
        DispatchOptions dispatch) {
    static final TuningOptions DEFAULTS = new TuningOptions(
            Duration.ofNanos(50_000), Duration.ofSeconds(1), false, 1_024, false, DispatchOptions.DEFAULTS);

    /** Checks ranges. */
    public TuningOptions {
        PoolOptions.checkRange("tuning.spin", spin.toNanos(), 0, 1_000_000_000L);
        PoolOptions.checkRange("tuning.park", park.toNanos(), 1_000_000L, 3_600_000_000_000L);
        PoolOptions.checkRange("tuning.asyncInFlight", asyncInFlight, 1, 1 << 20);
    }

    /** How long an idle side looks at memory before it sleeps, 0 to 1 s. */
    public TuningOptions spin(Duration time) {
        return new TuningOptions(time, park, measureEachCall, asyncInFlight, deliverWhenIdle, dispatch);
    }

    /** Longest sleep without looking, 1 ms to 1 h. */
    public TuningOptions park(Duration time) {
        return new TuningOptions(spin, time, measureEachCall, asyncInFlight, deliverWhenIdle, dispatch);
    }

    /**
     * Whether workers measure every call. Default false: of calls of less than 20 µs they measure one in sixteen, since
     * reading the clock twice costs about 50 ns.
     */
    public TuningOptions measureEachCall(boolean measure) {
        return new TuningOptions(spin, park, measure, asyncInFlight, deliverWhenIdle, dispatch);
    }

    /**
     * Most calls of {@linkplain Task#async async tasks} that one worker has open at a time, 1 to 1,048,576; more wait in
     * the host's queue. Default 1,024.
     */
    public TuningOptions asyncInFlight(int calls) {
        return new TuningOptions(spin, park, measureEachCall, calls, deliverWhenIdle, dispatch);
    }

    /**
     * Whether a worker keeps its results until no other call waits for it: fewer, larger deliveries, and no result
     * before those of the calls behind it. Results of calls with a {@code hardTimeout} or {@code killAfter} are never kept,
     * and none is kept while such a call runs: no worker is ended on account of a call that has run. Default false.
     */
    public TuningOptions deliverWhenIdle(boolean wait) {
        return new TuningOptions(spin, park, measureEachCall, asyncInFlight, wait, dispatch);
    }

    /**
     * Whether all workers serve one submit mailbox, so that none is idle while a call waits. Default {@link
     * Stealing#AUTO}.
     */
    public TuningOptions stealing(Stealing whether) {
        return with(dispatch.withStealing(whether));
    }

    /** How workers share a submit mailbox, if they do. Default {@link Discipline#TICKET}. */
    public TuningOptions discipline(Discipline how) {
        return with(dispatch.withDiscipline(how));
    }

    /** How the host chooses a worker, if each has a mailbox of its own. Default {@link Balancer#LEAST_LOADED}. */
    public TuningOptions balancer(Balancer how) {
        return with(dispatch.withBalancer(how));
    }

    /** Lets the host take part in the work. By default it does not. */
    public TuningOptions inliner(Inliner how) {
        return with(dispatch.withInliner(how));
    }

    private TuningOptions with(DispatchOptions changed) {
        return new TuningOptions(spin, park, measureEachCall, asyncInFlight, deliverWhenIdle, changed);
    }
}

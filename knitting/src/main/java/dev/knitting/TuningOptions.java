package dev.knitting;

import java.time.Duration;

/**
 * Spinning and parking. Immutable: each method returns changed options.
 *
 * @param spin how long an idle side looks at memory before it sleeps, if there are cores for it; zero is honoured
 * @param park longest sleep without looking; a safety net, not a polling period
 */
public record TuningOptions(Duration spin, Duration park) {
    static final TuningOptions DEFAULTS = new TuningOptions(Duration.ofNanos(50_000), Duration.ofSeconds(1));

    /** Checks ranges. */
    public TuningOptions {
        PoolOptions.checkRange("tuning.spin", spin.toNanos(), 0, 1_000_000_000L);
        PoolOptions.checkRange("tuning.park", park.toNanos(), 1_000_000L, 3_600_000_000_000L);
    }

    /** How long an idle side looks at memory before it sleeps, 0 to 1 s. */
    public TuningOptions spin(Duration time) {
        return new TuningOptions(time, park);
    }

    /** Longest sleep without looking, 1 ms to 1 h. */
    public TuningOptions park(Duration time) {
        return new TuningOptions(spin, time);
    }
}

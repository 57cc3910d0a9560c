package dev.knitting;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How long calls of a task may take, and what happens to them when a worker ends. Immutable; set by the methods of {@link
 * Task}, defaults of a pool by those of {@link PoolBuilder}.
 *
 * @param timeout from submission, or null for none
 * @param onTimeout what a call is settled with when its timeout passes
 * @param hardTimeout from the start of the run, or null for none
 * @param killAfter how long a cancelled or timed-out call may go on running, or null for ever
 * @param retriesOnCrash how often a call may run again after its worker ended under it, 0 to {@value #MAX_RETRIES}
 */
public record TaskOptions(
        @Nullable Duration timeout,
        OnTimeout onTimeout,
        @Nullable Duration hardTimeout,
        @Nullable Duration killAfter,
        int retriesOnCrash) {
    /** Most runs that a call may be given again. */
    public static final int MAX_RETRIES = 100;

    /** No limit, no second run. */
    public static final TaskOptions NONE = new TaskOptions(null, new OnTimeout.Fail(), null, null, 0);

    private static final Duration LONGEST = Duration.ofDays(36_500);

    /** What a call is settled with when its timeout passes. */
    public sealed interface OnTimeout {
        /** It fails with {@link ErrorCode#TIMEOUT}. */
        record Fail() implements OnTimeout {}

        /**
         * It succeeds with a value.
         *
         * @param value may be null
         */
        record Fallback(@Nullable Object value) implements OnTimeout {}

        /**
         * It fails with an exception made at that moment, on a thread of the pool.
         *
         * @param supplier makes it; null or a failure of its own turn into {@link ErrorCode#TIMEOUT}
         */
        record Failure(Supplier<? extends RuntimeException> supplier) implements OnTimeout {}
    }

    /** Refuses negative times. */
    public TaskOptions {
        checkTime("timeout", timeout, true);
        checkTime("hardTimeout", hardTimeout, false);
        checkTime("killAfter", killAfter, true);
        PoolOptions.checkRange("retryOnCrash", retriesOnCrash, 0, MAX_RETRIES);
    }

    private static void checkTime(String option, @Nullable Duration time, boolean mayBeZero) {
        if (time != null && (time.isNegative() || (time.isZero() && !mayBeZero))) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "option out of range",
                    "option",
                    option,
                    "value",
                    time,
                    "least",
                    mayBeZero ? "PT0S" : "PT0.000000001S");
        }
    }

    TaskOptions withTimeout(Duration time, OnTimeout then) {
        return new TaskOptions(time, then, hardTimeout, killAfter, retriesOnCrash);
    }

    TaskOptions withHardTimeout(Duration time) {
        return new TaskOptions(timeout, onTimeout, time, killAfter, retriesOnCrash);
    }

    TaskOptions withKillAfter(Duration grace) {
        return new TaskOptions(timeout, onTimeout, hardTimeout, grace, retriesOnCrash);
    }

    TaskOptions withRetriesOnCrash(int times) {
        return new TaskOptions(timeout, onTimeout, hardTimeout, killAfter, times);
    }

    /** Whether nothing was ever stated. On the way of every call: one comparison. */
    @SuppressWarnings("ReferenceEquality") // an equal object is only slower
    public boolean areNone() {
        return this == NONE;
    }

    /** These options, and where they say nothing those of the pool. */
    public TaskOptions orElse(TaskOptions pool) {
        if (pool.areNone() || areNone()) {
            return pool.areNone() ? this : pool;
        }
        return new TaskOptions(
                timeout != null ? timeout : pool.timeout,
                timeout != null ? onTimeout : pool.onTimeout,
                hardTimeout != null ? hardTimeout : pool.hardTimeout,
                killAfter != null ? killAfter : pool.killAfter,
                retriesOnCrash != 0 ? retriesOnCrash : pool.retriesOnCrash);
    }

    /** These options without their times: nothing is late while a debugger may hold it. */
    public TaskOptions withoutTimes() {
        return new TaskOptions(null, onTimeout, null, null, retriesOnCrash);
    }

    /** A time in nanoseconds, a century at most; -1 for none. */
    public static long nanosOf(@Nullable Duration time) {
        if (time == null) {
            return -1;
        }
        return time.compareTo(LONGEST) < 0 ? time.toNanos() : LONGEST.toNanos();
    }
}

package dev.knitting;

import org.jspecify.annotations.Nullable;

/**
 * How a pool looks after its workers. Set by the methods of {@link PoolBuilder}.
 *
 * @param defaults limits of calls whose task states none
 * @param recycleAfter calls after which a worker is replaced, or 0 for never
 * @param spares workers kept ready beyond those that work
 * @param listener told when workers start and end, or null
 */
public record SupervisionOptions(
        TaskOptions defaults,
        long recycleAfter,
        int spares,
        @Nullable PoolListener listener) {
    /** No limits, no spares, no listener. */
    public static final SupervisionOptions DEFAULTS = new SupervisionOptions(TaskOptions.NONE, 0, 0, null);

    SupervisionOptions withDefaults(TaskOptions limits) {
        return new SupervisionOptions(limits, recycleAfter, spares, listener);
    }

    SupervisionOptions withRecycleAfter(long calls) {
        return new SupervisionOptions(defaults, calls, spares, listener);
    }

    SupervisionOptions withSpares(int count) {
        return new SupervisionOptions(defaults, recycleAfter, count, listener);
    }

    SupervisionOptions withListener(PoolListener told) {
        return new SupervisionOptions(defaults, recycleAfter, spares, told);
    }
}

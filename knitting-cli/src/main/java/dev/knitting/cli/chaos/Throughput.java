package dev.knitting.cli.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settled calls over time, sampled every tenth of a second. One thread adds. */
final class Throughput {
    static final long SAMPLE_NANOS = 100_000_000;
    private static final int SAMPLES_A_SECOND = 10;

    private final List<Long> times = new ArrayList<>();
    private final List<Long> settled = new ArrayList<>();

    void sample(long nanos, long settledSoFar) {
        times.add(nanos);
        settled.add(settledSoFar);
    }

    /** Calls in the second that begins at the first sample not before this time; null if it was not recorded whole. */
    @Nullable
    Long secondAfter(long nanos) {
        for (int i = 0; i + SAMPLES_A_SECOND < times.size(); i++) {
            if (times.get(i) - nanos >= 0) {
                return settled.get(i + SAMPLES_A_SECOND) - settled.get(i);
            }
        }
        return null;
    }

    /** Median of calls a second, over seconds in which none of these events lay. */
    @Nullable
    Long undisturbed(List<Long> events) {
        List<Long> seconds = new ArrayList<>();
        for (int i = 0; i + SAMPLES_A_SECOND < times.size(); i += SAMPLES_A_SECOND / 2) {
            long from = times.get(i);
            long to = times.get(i + SAMPLES_A_SECOND);
            if (events.stream().noneMatch(event -> event - from >= -SAMPLE_NANOS * 5 && event - to <= 0)) {
                seconds.add(settled.get(i + SAMPLES_A_SECOND) - settled.get(i));
            }
        }
        return median(seconds);
    }

    static @Nullable Long median(List<Long> values) {
        if (values.isEmpty()) {
            return null;
        }
        long[] sorted = values.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}

package dev.knitting.bench;

import dev.knitting.bench.peer.Peer;
import java.util.Arrays;

/**
 * Runs a workload against a peer for a while. Every iteration is checked, after its time was taken. One thread; reuse
 * it, for it holds the memory of all samples.
 */
final class CaseTimer {
    private static final int MAX_SAMPLES = 1 << 21;
    private static final int MIN_SAMPLES = 3;
    private static final int PATIENCE = 40;
    private static final int WARM_UP_WINDOWS = 10;
    private static final double STABLE = 0.05;

    private final long[] samples = new long[MAX_SAMPLES];
    /** Above what the JDK caches as boxed numbers; never the same twice. */
    private long sequence = 1_000_000;

    /**
     * What one stretch of iterations took.
     *
     * @param count iterations
     * @param p50Nanos their median
     * @param p99Nanos their 99th percentile
     */
    record Timing(int count, long p50Nanos, long p99Nanos) {}

    /**
     * Runs until the medians of three windows in a row differ by less than 5 %, or the time is over. A window is a tenth
     * of the time.
     */
    void warmUp(Peer peer, Workload workload, long nanos) throws Exception {
        long first = 0;
        long second = 0;
        for (int window = 0; window < WARM_UP_WINDOWS; window++) {
            long third = run(peer, workload, nanos / WARM_UP_WINDOWS, 1).p50Nanos();
            if (window >= 2 && near(first, third) && near(second, third)) {
                return;
            }
            first = second;
            second = third;
        }
    }

    private static boolean near(long one, long other) {
        return Math.abs(one - other) <= STABLE * Math.max(one, other);
    }

    /** Runs a tenth of the time unrecorded, so that both sides are awake again, then as long as told. */
    Timing measure(Peer peer, Workload workload, long nanos) throws Exception {
        run(peer, workload, nanos / 10, 1);
        return run(peer, workload, nanos, MIN_SAMPLES);
    }

    /** As {@link #measure}, and at least so many iterations, unless that takes {@value #PATIENCE} times as long. */
    Timing measure(Peer peer, Workload workload, long nanos, int minSamples) throws Exception {
        run(peer, workload, nanos / 10, 1);
        return run(peer, workload, nanos, minSamples);
    }

    private Timing run(Peer peer, Workload workload, long nanos, int minSamples) throws Exception {
        int count = 0;
        long start = System.nanoTime();
        boolean isOver;
        do {
            workload.prepare(sequence++);
            long begin = System.nanoTime();
            workload.run(peer);
            long end = System.nanoTime();
            workload.verify(peer.name());
            samples[count++] = end - begin;
            long elapsed = end - start;
            isOver = elapsed >= nanos && (count >= minSamples || elapsed >= PATIENCE * nanos);
        } while (!isOver && count < MAX_SAMPLES);
        Arrays.sort(samples, 0, count);
        return new Timing(count, Statistics.percentile(samples, count, 50), Statistics.percentile(samples, count, 99));
    }
}

package dev.knitting.bench;

import dev.knitting.Isolation;
import dev.knitting.Task;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * How well does a pool spread tasks of very unequal length?
 *
 * <p>All tasks are submitted at once, in random order. A task waits for a deadline and uses hardly any processor, so
 * that two workers and the host fit on two cores. The lengths follow a bounded Pareto distribution: most are a few
 * hundred microseconds, a few are a hundred times as long. The makespan is compared with the list schedule of the times
 * that the same tasks took in the same run: 1.00 means that no worker was ever idle while a task waited.
 */
public final class SkewBench {
    private static final int WORKERS = 2;
    private static final int TASKS = 400;
    private static final double SHAPE = 1.1;
    private static final double SHORTEST_NANOS = 200_000;
    private static final double LONGEST_NANOS = 50_000_000;
    /** What a timed park may be late by: the rest of the wait is spent looking at the clock. */
    private static final long PARK_MARGIN_NANOS = 100_000;

    private static final Task<Long, Long> WAIT = Task.of(SkewBench::waitFor);

    private SkewBench() {}

    /**
     * Medians over the rounds.
     *
     * @param pool who ran the tasks
     * @param rounds how often
     * @param makespanMillis from the first submission to the last result
     * @param scheduleMillis the list schedule of the same tasks
     * @param ratio makespan over schedule
     * @param worstRatio the largest of the rounds
     */
    public record Result(
            String pool, int rounds, double makespanMillis, double scheduleMillis, double ratio, double worstRatio) {
        private String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"bench\":\"skew\",\"pool\":\"%s\",\"workers\":%d,\"tasks\":%d,\"rounds\":%d,"
                            + "\"makespan_ms\":%.2f,\"list_schedule_ms\":%.2f,\"ratio\":%.4f,\"worst_ratio\":%.4f}",
                    pool,
                    WORKERS,
                    TASKS,
                    rounds,
                    makespanMillis,
                    scheduleMillis,
                    ratio,
                    worstRatio);
        }

        private List<String> row() {
            return List.of(
                    pool,
                    "",
                    "",
                    TableReport.significant(makespanMillis),
                    TableReport.significant(scheduleMillis),
                    String.format(Locale.ROOT, "%.3f", ratio),
                    String.format(Locale.ROOT, "%.3f", worstRatio));
        }
    }

    private record Contestant(Submitter submitter, List<double[]> rounds) {
        Result result() {
            double[] ratios =
                    rounds.stream().mapToDouble(round -> round[0] / round[1]).toArray();
            double worst = 0;
            for (double ratio : ratios) {
                worst = Math.max(worst, ratio);
            }
            return new Result(
                    submitter.name(),
                    rounds.size(),
                    Statistics.median(rounds.stream()
                                    .mapToDouble(round -> round[0])
                                    .toArray())
                            / 1e6,
                    Statistics.median(rounds.stream()
                                    .mapToDouble(round -> round[1])
                                    .toArray())
                            / 1e6,
                    Statistics.median(ratios),
                    worst);
        }
    }

    /**
     * The task.
     *
     * @param nanos how long to take
     * @return how long it took
     */
    static long waitFor(long nanos) {
        long begin = System.nanoTime();
        long left = nanos;
        while (left > 0) {
            if (left > PARK_MARGIN_NANOS) {
                LockSupport.parkNanos(left - PARK_MARGIN_NANOS);
            } else {
                Thread.onSpinWait();
            }
            left = begin + nanos - System.nanoTime();
        }
        return System.nanoTime() - begin;
    }

    /** The lengths of a round's tasks, the same for everybody. */
    static long[] lengths(int round) {
        Random random = new Random(round * 7919L + 1);
        double tail = Math.pow(SHORTEST_NANOS / LONGEST_NANOS, SHAPE);
        long[] nanos = new long[TASKS];
        for (int i = 0; i < nanos.length; i++) {
            double below = 1 - random.nextDouble() * (1 - tail);
            nanos[i] = (long) (SHORTEST_NANOS * Math.pow(below, -1 / SHAPE));
        }
        return nanos;
    }

    /**
     * Measures two worker processes, two worker threads and a thread pool of the JDK, in turn.
     *
     * @param rounds how often, at least 1; one more goes first, unrecorded
     */
    public static List<Result> measure(int rounds) throws Exception {
        List<Contestant> contestants = new ArrayList<>();
        try {
            contestants.add(contestant(Submitter.knitting(Isolation.PROCESSES, WORKERS, WAIT)));
            contestants.add(contestant(Submitter.knitting(Isolation.THREADS, WORKERS, WAIT)));
            contestants.add(contestant(Submitter.executor(WORKERS, SkewBench::waitFor)));
            for (int round = 0; round <= rounds; round++) {
                for (Contestant contestant : contestants) {
                    double[] times = run(contestant.submitter(), lengths(round));
                    if (round > 0) {
                        contestant.rounds().add(times);
                    }
                }
            }
            return contestants.stream().map(Contestant::result).toList();
        } finally {
            contestants.forEach(contestant -> contestant.submitter().close());
        }
    }

    private static double[] run(Submitter submitter, long[] lengths) throws Exception {
        List<Future<Long>> calls = new ArrayList<>(lengths.length);
        long[] taken = new long[lengths.length];
        long begin = System.nanoTime();
        for (long length : lengths) {
            calls.add(submitter.submit(length));
        }
        for (int i = 0; i < taken.length; i++) {
            taken[i] = calls.get(i).get();
        }
        long makespan = System.nanoTime() - begin;
        for (int i = 0; i < taken.length; i++) {
            if (taken[i] < lengths[i]) {
                throw new IOException("a task ended early: wanted=" + lengths[i] + ", taken=" + taken[i]);
            }
        }
        return new double[] {makespan, ListSchedule.makespan(taken, WORKERS)};
    }

    private static Contestant contestant(Submitter submitter) {
        return new Contestant(submitter, new ArrayList<>());
    }

    static List<String> lines(List<Result> results, boolean json) {
        if (json) {
            return results.stream().map(Result::json).toList();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(WORKERS + " workers", "", "", "makespan ms", "list schedule ms", "ratio", "worst"));
        results.forEach(result -> rows.add(result.row()));
        return TableReport.align(rows);
    }
}

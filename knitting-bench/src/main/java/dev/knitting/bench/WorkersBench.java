package dev.knitting.bench;

import dev.knitting.Isolation;
import dev.knitting.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Future;

/**
 * How much more do more workers get done?
 *
 * <p>Batches of tasks that keep a processor busy for 20 microseconds, and of tasks that do nothing, where what is
 * measured is the host. Pools of all sizes are open at the same time and take turns.
 */
public final class WorkersBench {
    private static final int BATCH = 200;
    private static final long[] TASK_NANOS = {20_000, 0};
    private static final int WARM_UP_BATCHES = 100;

    private static final Task<Long, Long> BURN = Task.of(WorkersBench::burn);

    private final List<Integer> workers;
    private final int rounds;
    private final long roundNanos;

    /**
     * A benchmark that has not begun.
     *
     * @param workers the sizes; everything is compared with the first
     * @param rounds how often each is measured, at least 1
     * @param roundTime how long each time
     */
    WorkersBench(List<Integer> workers, int rounds, Duration roundTime) {
        this.workers = List.copyOf(workers);
        this.rounds = rounds;
        this.roundNanos = roundTime.toNanos();
    }

    /**
     * Medians over the rounds.
     *
     * @param pool who ran the tasks
     * @param workers how many
     * @param taskNanos how long a task keeps its processor busy
     * @param callsPerSecond tasks done
     * @param timesFirst the same over that of the first size, within a round
     */
    public record Result(String pool, int workers, long taskNanos, double callsPerSecond, double timesFirst) {
        private String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"bench\":\"workers\",\"peer\":\"%s\",\"workers\":%d,\"task_ns\":%d,\"calls_per_s\":%.0f,"
                            + "\"x_first\":%.3f}",
                    pool,
                    workers,
                    taskNanos,
                    callsPerSecond,
                    timesFirst);
        }

        private List<String> row() {
            return List.of(
                    pool,
                    "",
                    "",
                    Integer.toString(workers),
                    Long.toString(taskNanos / 1000),
                    TableReport.significant(callsPerSecond / 1e3),
                    String.format(Locale.ROOT, "%.3f", timesFirst));
        }
    }

    /** The task: busy for so long; returns its argument. */
    static long burn(long nanos) {
        if (nanos > 0) {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < nanos) {
                Thread.onSpinWait();
            }
        }
        return nanos;
    }

    /** Process pools, thread pools, and thread pools of the JDK. */
    List<Result> measure() throws Exception {
        List<Result> results = new ArrayList<>();
        for (int kind = 0; kind < 3; kind++) {
            List<Submitter> open = new ArrayList<>();
            try {
                for (int count : workers) {
                    open.add(open(kind, count));
                }
                for (long taskNanos : TASK_NANOS) {
                    results.addAll(measure(open, taskNanos));
                }
            } finally {
                open.forEach(Submitter::close);
            }
        }
        return results;
    }

    private static Submitter open(int kind, int count) {
        return switch (kind) {
            case 0 -> Submitter.knitting(Isolation.PROCESSES, count, BURN);
            case 1 -> Submitter.knitting(Isolation.THREADS, count, BURN);
            default -> Submitter.executor(count, WorkersBench::burn);
        };
    }

    private List<Result> measure(List<Submitter> pools, long taskNanos) throws Exception {
        double[][] rates = new double[pools.size()][rounds];
        double[][] ratios = new double[pools.size()][rounds];
        for (Submitter pool : pools) {
            for (int i = 0; i < WARM_UP_BATCHES; i++) {
                batch(pool, taskNanos);
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (int k = 0; k < rates.length; k++) {
                rates[k][round] = rate(pools.get(k), taskNanos);
                ratios[k][round] = rates[k][round] / rates[0][round];
            }
        }
        List<Result> results = new ArrayList<>();
        for (int k = 0; k < rates.length; k++) {
            results.add(new Result(
                    pools.get(k).name(),
                    workers.get(k),
                    taskNanos,
                    Statistics.median(rates[k]),
                    Statistics.median(ratios[k])));
        }
        return results;
    }

    private double rate(Submitter pool, long taskNanos) throws Exception {
        long begin = System.nanoTime();
        long calls = 0;
        long elapsed;
        do {
            batch(pool, taskNanos);
            calls += BATCH;
            elapsed = System.nanoTime() - begin;
        } while (elapsed < roundNanos);
        return calls * 1e9 / elapsed;
    }

    private static void batch(Submitter pool, long taskNanos) throws Exception {
        List<Future<Long>> calls = new ArrayList<>(BATCH);
        for (int i = 0; i < BATCH; i++) {
            calls.add(pool.submit(taskNanos));
        }
        for (Future<Long> call : calls) {
            long result = call.get();
            if (result != taskNanos) {
                throw new IllegalStateException("wrong result: expected=" + taskNanos + ", actual=" + result);
            }
        }
    }

    static List<String> lines(List<Result> results, boolean json) {
        if (json) {
            return results.stream().map(Result::json).toList();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("pool", "", "", "workers", "task us", "thousand calls/s", "x first"));
        results.forEach(result -> rows.add(result.row()));
        return TableReport.align(rows);
    }
}

package dev.knitting.bench;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.bench.peer.BenchTasks;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How much processor time does a pool use that has served calls and now has nothing to do?
 *
 * <p>Counted from a second after the last result on: until then the compilers of both JVMs still work on the code of the
 * calls. The JVM without a pool is the background to compare with.
 */
public final class IdleBench {
    private static final Task<Long, Long> INC = Task.of(BenchTasks::inc);
    private static final int CALLS = 20_000;
    private static final int BATCH = 1000;
    private static final Duration SETTLE = Duration.ofSeconds(1);

    private IdleBench() {}

    /**
     * Processor time in milliseconds per second of idling.
     *
     * @param pool {@code none}, {@code knitting-thread} or {@code knitting-process}
     * @param seconds how long was idled
     * @param hostMillis used by this process
     * @param workerMillis used by its worker processes together
     */
    public record Result(String pool, double seconds, double hostMillis, double workerMillis) {
        String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"bench\":\"idle\",\"pool\":\"%s\",\"seconds\":%.1f,\"host_ms_per_s\":%.3f,"
                            + "\"workers_ms_per_s\":%.3f}",
                    pool,
                    seconds,
                    hostMillis,
                    workerMillis);
        }

        private List<String> row() {
            return List.of(
                    pool,
                    "",
                    "",
                    String.format(Locale.ROOT, "%.3f", hostMillis),
                    String.format(Locale.ROOT, "%.3f", workerMillis));
        }
    }

    static List<String> lines(List<Result> results, boolean json) {
        if (json) {
            return results.stream().map(Result::json).toList();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("idle pool", "", "", "host ms/s", "workers ms/s"));
        results.forEach(result -> rows.add(result.row()));
        return TableReport.align(rows);
    }

    /**
     * Measures without a pool, with one worker thread and with one worker process.
     *
     * @param period how long each idles
     * @throws IOException if the processor time cannot be read
     */
    public static List<Result> measure(Duration period) throws IOException, InterruptedException {
        List<Result> results = new ArrayList<>();
        results.add(idle("none", Set.of(), period));
        results.add(pool("knitting-thread", Isolation.THREADS, period));
        results.add(pool("knitting-process", Isolation.PROCESSES, period));
        return results;
    }

    private static Result pool(String name, Isolation isolation, Duration period)
            throws IOException, InterruptedException {
        Set<ProcessHandle> before = descendants();
        try (Pool pool = Pool.of(isolation).workers(1).open(INC)) {
            Set<ProcessHandle> workers = new HashSet<>(descendants());
            workers.removeAll(before);
            serve(pool);
            return idle(name, workers, period);
        }
    }

    private static Set<ProcessHandle> descendants() {
        return ProcessHandle.current().descendants().collect(Collectors.toSet());
    }

    private static void serve(Pool pool) {
        for (long i = 0; i < CALLS; i++) {
            check(i, pool.invoke(INC, i));
        }
        List<Call<Long>> calls = new ArrayList<>(BATCH);
        for (long i = 0; i < BATCH; i++) {
            calls.add(pool.submit(INC, i));
        }
        for (int i = 0; i < BATCH; i++) {
            check(i, calls.get(i).join());
        }
    }

    private static void check(long argument, long result) {
        if (result != argument + 1) {
            throw new IllegalStateException("wrong result: expected=" + (argument + 1) + ", actual=" + result);
        }
    }

    private static Result idle(String name, Set<ProcessHandle> workers, Duration period)
            throws IOException, InterruptedException {
        List<ProcessHandle> processes = new ArrayList<>(List.of(ProcessHandle.current()));
        processes.addAll(workers);
        Thread.sleep(SETTLE);
        List<CpuTime> before = times(processes);
        long begin = System.nanoTime();
        Thread.sleep(period);
        double seconds = (System.nanoTime() - begin) / 1e9;
        List<CpuTime> after = times(processes);
        long host = after.getFirst().since(before.getFirst());
        long worker = 0;
        for (int i = 1; i < processes.size(); i++) {
            worker += after.get(i).since(before.get(i));
        }
        return new Result(name, seconds, host / 1e6 / seconds, worker / 1e6 / seconds);
    }

    private static List<CpuTime> times(List<ProcessHandle> processes) throws IOException {
        List<CpuTime> times = new ArrayList<>(processes.size());
        for (ProcessHandle process : processes) {
            times.add(CpuTime.of(process));
        }
        return times;
    }
}

package dev.knitting.cli;

import dev.knitting.Call;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The quick start: the same program on threads and on processes. Its static methods are the tasks; a worker process loads
 * this class, so it uses nothing of the command line.
 */
final class DemoProgram {
    static final Task<Long, Long> SQUARE = Task.of(DemoProgram::square);
    static final Task<Void, String> MOTD = Task.of(DemoProgram::motd);

    /** Enough for the compiler of the JVM, on both sides. */
    private static final int WARM_UP_CALLS = 20_000;

    private static final int MEASURED_CALLS = 10_000;

    /** On a slow or busy machine fewer calls must do. */
    private static final long MAX_NANOS = 2_000_000_000L;

    private DemoProgram() {}

    static long square(long n) {
        return n * n;
    }

    static String greet(String name) {
        return "hello " + name;
    }

    static String motd() {
        return "many hands make light work";
    }

    /** What the calls of the quick start return, by their source text. */
    static Map<String, Object> quickStart(Pool pool) {
        Call<Long> four = pool.submit(() -> square(2)); // does not block
        String hello = pool.invoke(() -> greet("knitting")); // blocks
        Call<Long> nine = pool.submit(SQUARE, 3L); // a named task, for hot paths
        Map<String, Object> results = new LinkedHashMap<>();
        results.put("submit(() -> square(2))", four.join());
        results.put("invoke(() -> greet(\"knitting\"))", hello);
        results.put("submit(SQUARE, 3L)", nine.join());
        results.put("invoke(MOTD)", pool.invoke(MOTD));
        return results;
    }

    /**
     * How long one call takes, there and back.
     *
     * @param medianNanos half of the calls took no longer
     * @param p99Nanos 99 of 100 calls took no longer
     * @param calls how many were measured
     */
    record RoundTrip(long medianNanos, long p99Nanos, int calls) {}

    /** Measures {@code invoke(SQUARE, n)}, one call after the other, when both sides are warm. */
    static RoundTrip roundTrip(Pool pool) {
        long warmUpEnd = System.nanoTime() + MAX_NANOS;
        for (int i = 0; i < WARM_UP_CALLS && System.nanoTime() < warmUpEnd; i++) {
            check(i, pool.invoke(SQUARE, (long) i));
        }
        long[] nanos = new long[MEASURED_CALLS];
        int count = 0;
        long end = System.nanoTime() + MAX_NANOS;
        for (long start = System.nanoTime(); count < nanos.length && start < end; start = System.nanoTime()) {
            long result = pool.invoke(SQUARE, (long) count);
            nanos[count] = System.nanoTime() - start;
            check(count, result);
            count++;
        }
        Arrays.sort(nanos, 0, count);
        return new RoundTrip(nanos[count / 2], nanos[(int) (count * 0.99)], count);
    }

    private static void check(long n, long result) {
        if (result != n * n) {
            throw new IllegalStateException("wrong result: task=SQUARE, argument=" + n + ", result=" + result);
        }
    }
}

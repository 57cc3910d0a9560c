package dev.knitting.bench;

import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Sandbox;
import dev.knitting.Task;
import dev.knitting.bench.peer.BenchTasks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What does a strict sandbox cost: until a worker is ready, and for a call?
 *
 * <p>A sandboxed worker must link a native function before it accepts calls, to restrict itself; an ordinary one does that
 * later, in the background. So there are three workers to start: {@code plain}; {@code linked}, which has to link as early
 * because a limit is set (more open files than it needs); {@code sandboxed}. The pool's {@code open} is timed. They take
 * turns, each round begins with another one; one of each goes first, unrecorded.
 *
 * <p>A call is {@code invoke} of a long that comes back plus one. A plain and a sandboxed pool are open side by side and
 * take turns in short rounds; the ratio is taken within a round.
 */
public final class SandboxBench {
    private static final Task<Long, Long> INC = Task.of(BenchTasks::inc);
    private static final int CALLS = 4_000;
    private static final int CALL_ROUNDS_PER_START = 4;
    private static final int WARM_ROUNDS = 10;
    private static final long ENOUGH_FILES = 1024;

    private SandboxBench() {}

    /**
     * Medians.
     *
     * @param runs starts of each
     * @param plainMillis until an ordinary worker is ready
     * @param linkedMillis until one is ready that links first
     * @param sandboxedMillis until a sandboxed one is ready
     * @param startRatio sandboxed over linked, median of the rounds
     * @param plainNanos one call
     * @param sandboxedNanos one call
     * @param callRatio sandboxed over plain, median of the rounds
     */
    public record Result(
            int runs,
            double plainMillis,
            double linkedMillis,
            double sandboxedMillis,
            double startRatio,
            double plainNanos,
            double sandboxedNanos,
            double callRatio) {
        List<String> lines(boolean json) {
            return json
                    ? List.of(String.format(
                            Locale.ROOT,
                            "{\"bench\":\"sandbox\",\"n\":%d,\"plain_ready_p50_ms\":%.1f,\"linked_ready_p50_ms\":%.1f,"
                                    + "\"sandboxed_ready_p50_ms\":%.1f,\"ready_ratio\":%.3f,\"plain_call_p50_ns\":%.0f,"
                                    + "\"sandboxed_call_p50_ns\":%.0f,\"call_ratio\":%.3f}",
                            runs,
                            plainMillis,
                            linkedMillis,
                            sandboxedMillis,
                            startRatio,
                            plainNanos,
                            sandboxedNanos,
                            callRatio))
                    : List.of(
                            row("ready: worker that links later", plainMillis, "ms"),
                            row("ready: worker that has linked", linkedMillis, "ms"),
                            row("ready: sandboxed worker", sandboxedMillis, "ms"),
                            ratio("ready: sandboxed to linked", startRatio, "1.20"),
                            row("call:  unrestricted", plainNanos, "ns"),
                            row("call:  sandboxed", sandboxedNanos, "ns"),
                            ratio("call:  sandboxed to unrestricted", callRatio, "1.05"));
        }

        private static String row(String what, double value, String unit) {
            return String.format(Locale.ROOT, "%-34s %8.1f %s", what, value, unit);
        }

        private static String ratio(String what, double value, String promised) {
            return String.format(Locale.ROOT, "%-34s %8.3f (promised: %s)", what, value, promised);
        }
    }

    /** The three, in the order of {@link Result}. */
    private static List<PoolBuilder> pools() {
        return List.of(
                Pool.processes(1),
                Pool.processes(1).resources(limits -> limits.openFiles(ENOUGH_FILES)),
                Pool.processes(1).sandbox(Sandbox.strict()));
    }

    /**
     * Measures.
     *
     * @param runs at least 1
     * @throws dev.knitting.KnittingException UNSUPPORTED_PLATFORM if this machine cannot enforce a sandbox
     */
    public static Result measure(int runs) {
        double[][] ready = new double[3][runs];
        double[] startRatios = new double[runs];
        for (int run = -1; run < runs; run++) {
            double[] round = new double[3];
            for (int i = 0; i < 3; i++) {
                int which = Math.floorMod(run + i, 3);
                round[which] = openMillis(pools().get(which));
            }
            for (int which = 0; run >= 0 && which < 3; which++) {
                ready[which][run] = round[which];
                startRatios[run] = round[2] / round[1];
            }
        }
        List<double[]> calls = calls(runs * CALL_ROUNDS_PER_START);
        return new Result(
                runs,
                Statistics.median(ready[0]),
                Statistics.median(ready[1]),
                Statistics.median(ready[2]),
                Statistics.median(startRatios),
                Statistics.median(calls.stream().mapToDouble(round -> round[0]).toArray()),
                Statistics.median(calls.stream().mapToDouble(round -> round[1]).toArray()),
                Statistics.median(
                        calls.stream().mapToDouble(round -> round[1] / round[0]).toArray()));
    }

    private static double openMillis(PoolBuilder builder) {
        long begin = System.nanoTime();
        try (Pool pool = builder.open(INC)) {
            long end = System.nanoTime();
            check(pool.invoke(INC, begin), begin);
            return (end - begin) / 1e6;
        }
    }

    /** Nanoseconds of a call in each round, unrestricted and sandboxed. */
    private static List<double[]> calls(int rounds) {
        List<double[]> all = new ArrayList<>();
        try (Pool plain = pools().get(0).open(INC);
                Pool sandboxed = pools().get(2).open(INC)) {
            for (int round = -WARM_ROUNDS; round < rounds; round++) {
                double[] nanos = new double[2];
                for (int i = 0; i < 2; i++) {
                    int which = Math.floorMod(round + i, 2);
                    nanos[which] = callNanos(which == 0 ? plain : sandboxed);
                }
                if (round >= 0) {
                    all.add(nanos);
                }
            }
        }
        return all;
    }

    /** The median of some calls; the first ones wake the worker and do not count. */
    private static double callNanos(Pool pool) {
        double[] nanos = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begin = System.nanoTime();
            long result = pool.invoke(INC, begin);
            nanos[i] = System.nanoTime() - begin;
            check(result, begin);
        }
        return Statistics.median(Arrays.copyOfRange(nanos, CALLS / 10, CALLS));
    }

    private static void check(long result, long argument) {
        if (result != argument + 1) {
            throw new IllegalStateException("wrong result: expected=" + (argument + 1) + ", actual=" + result);
        }
    }
}

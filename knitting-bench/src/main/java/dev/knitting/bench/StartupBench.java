package dev.knitting.bench;

import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.bench.peer.BenchTasks;
import dev.knitting.bench.peer.ChildJvm;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * How long until a process worker gives its first result, beside the shortest life of a JVM?
 *
 * <p>Pool: {@code Pool.processes(1).open(task)} and one {@code invoke}; closing is not timed. JVM: start to exit of a
 * program that prints a line. The two take turns; one of each goes first, unrecorded.
 */
public final class StartupBench {
    private static final Task<Long, Long> INC = Task.of(BenchTasks::inc);

    private StartupBench() {}

    /**
     * Medians.
     *
     * @param runs how often each was started
     * @param poolMillis from opening a pool to the first result
     * @param helloMillis from starting a JVM to its exit
     */
    public record Result(int runs, double poolMillis, double helloMillis) {
        /** Pool over JVM. */
        public double ratio() {
            return poolMillis / helloMillis;
        }

        List<String> lines(boolean json) {
            return json
                    ? List.of(String.format(
                            Locale.ROOT,
                            "{\"bench\":\"startup\",\"n\":%d,\"pool_p50_ms\":%.1f,\"hello_p50_ms\":%.1f,\"ratio\":%.2f}",
                            runs,
                            poolMillis,
                            helloMillis,
                            ratio()))
                    : List.of(
                            String.format(Locale.ROOT, "first result of a process pool  %7.1f ms", poolMillis),
                            String.format(Locale.ROOT, "hello of a JVM                  %7.1f ms", helloMillis),
                            String.format(Locale.ROOT, "ratio                           %7.2f", ratio()));
        }
    }

    /**
     * Measures.
     *
     * @param runs at least 1
     * @throws IOException if the JVM cannot be started, or fails
     */
    public static Result measure(int runs) throws IOException, InterruptedException {
        List<String> hello = ChildJvm.command(ownClassPath(), Hello.class);
        helloMillis(hello);
        poolMillis();
        double[] hellos = new double[runs];
        double[] pools = new double[runs];
        for (int i = 0; i < runs; i++) {
            hellos[i] = helloMillis(hello);
            pools[i] = poolMillis();
        }
        return new Result(runs, Statistics.median(pools), Statistics.median(hellos));
    }

    /** Only what holds {@link Hello}: a long class path would slow the JVM that we compare with. */
    private static String ownClassPath() {
        try {
            return Path.of(Hello.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a location that is no URI", e);
        }
    }

    private static double helloMillis(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJvm.builder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        long begin = System.nanoTime();
        int exitCode = builder.start().waitFor();
        long end = System.nanoTime();
        if (exitCode != 0) {
            throw new IOException("hello failed: exitCode=" + exitCode + ", command=" + command);
        }
        return (end - begin) / 1e6;
    }

    private static double poolMillis() {
        long begin = System.nanoTime();
        try (Pool pool = Pool.processes(1).open(INC)) {
            long result = pool.invoke(INC, begin);
            long end = System.nanoTime();
            if (result != begin + 1) {
                throw new IllegalStateException("wrong result: expected=" + (begin + 1) + ", actual=" + result);
            }
            return (end - begin) / 1e6;
        }
    }
}

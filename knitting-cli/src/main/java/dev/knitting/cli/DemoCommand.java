package dev.knitting.cli;

import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.cli.DemoProgram.RoundTrip;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code knit demo}: the quick start on threads and on processes, side by side. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = "Runs the quick start on threads and on processes: the same results, and how long a call takes.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:both ran, with the same results", "2:wrong usage", "3:any other failure"})
final class DemoCommand implements Callable<Integer> {
    private static final int WORKERS = 2;
    private static final String ROW = "%-34s %-28s %-28s%n";

    private final Opener opener;

    @Spec
    private CommandSpec spec;

    DemoCommand(Opener opener) {
        this.opener = opener;
    }

    /** How the demo opens its pools; tests put pools of their own here. */
    @FunctionalInterface
    interface Opener {
        /** Opens a pool of so many workers. */
        Pool open(Isolation isolation, int workers);
    }

    /** Pools with default options. */
    static Pool openDefault(Isolation isolation, int workers) {
        return Pool.of(isolation).workers(workers).name("demo").open(DemoProgram.SQUARE, DemoProgram.MOTD);
    }

    @Override
    public Integer call() {
        Result threads = run(Isolation.THREADS);
        Result processes = run(Isolation.PROCESSES);
        print(threads, processes);
        if (!threads.values().equals(processes.values())) {
            throw new IllegalStateException("threads and processes gave different results");
        }
        return ExitCode.OK;
    }

    private record Result(Map<String, Object> values, RoundTrip roundTrip, long openNanos) {}

    private Result run(Isolation isolation) {
        long start = System.nanoTime();
        try (Pool pool = opener.open(isolation, WORKERS)) {
            long openNanos = System.nanoTime() - start;
            return new Result(DemoProgram.quickStart(pool), DemoProgram.roundTrip(pool), openNanos);
        } catch (KnittingException e) {
            throw new Knit.FailedException(
                    "the demo failed: isolation=" + isolation + ", code=" + e.code() + ", reason=" + e.getMessage(), e);
        }
    }

    private void print(Result threads, Result processes) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(Locale.ROOT, ROW, "", "on " + WORKERS + " threads", "on " + WORKERS + " processes");
        threads.values()
                .forEach((call, value) -> out.printf(
                        Locale.ROOT, ROW, call, value, processes.values().get(call)));
        out.println();
        out.printf(Locale.ROOT, ROW, "open the pool", millis(threads.openNanos()), millis(processes.openNanos()));
        out.printf(
                Locale.ROOT,
                ROW,
                "invoke(SQUARE, n), median",
                micros(threads.roundTrip().medianNanos()),
                micros(processes.roundTrip().medianNanos()));
        out.printf(
                Locale.ROOT,
                ROW,
                "invoke(SQUARE, n), 99th percentile",
                micros(threads.roundTrip().p99Nanos()),
                micros(processes.roundTrip().p99Nanos()));
        out.flush();
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.2f us", nanos / 1e3);
    }
}

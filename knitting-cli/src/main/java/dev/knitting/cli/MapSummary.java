package dev.knitting.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/**
 * What a run of {@code map} counts, and the table it ends with. Memory is bounded: there are as many rows as error codes.
 * For one thread.
 */
final class MapSummary {
    private static final int SHOWN_CHARS = 60;

    private final Map<String, Failures> failures = new LinkedHashMap<>();
    private long succeeded;
    private long failed;
    private long nanos;
    private boolean interrupted;
    private boolean failedFast;

    /** Failures of one code. */
    private static final class Failures {
        private final String firstInput;
        private long count;

        private Failures(String firstInput) {
            this.firstInput = firstInput;
        }
    }

    /** One line was written. */
    void count(String input, ResultLine line) {
        String code = line.errorCode();
        if (code == null) {
            succeeded++;
            return;
        }
        failed++;
        failures.computeIfAbsent(code, _ -> new Failures(input)).count++;
    }

    void endedAfter(long elapsedNanos) {
        nanos = elapsedNanos;
    }

    void interrupted() {
        interrupted = true;
    }

    void failedFast() {
        failedFast = true;
    }

    boolean wasInterrupted() {
        return interrupted;
    }

    long inputs() {
        return succeeded + failed;
    }

    long failed() {
        return failed;
    }

    /** Writes one line, and one more for each code that occurred. */
    void print(PrintStream out, boolean colour) {
        Ansi ansi = colour ? Ansi.ON : Ansi.OFF;
        double seconds = nanos / 1e9;
        String red = failed + " failed";
        out.println(String.format(
                Locale.ROOT,
                "map: %s%d inputs, %d ok, %s, %.2f s, %.1f inputs/s",
                interrupted ? "interrupted after " : failedFast ? "ended at the first failure after " : "",
                inputs(),
                succeeded,
                failed == 0 ? red : ansi.new Text("@|red " + red + "|@").toString(),
                seconds,
                inputs() / Math.max(seconds, 1e-9)));
        table().forEach(out::println);
    }

    private List<String> table() {
        List<String> rows = new ArrayList<>();
        if (failures.isEmpty()) {
            return rows;
        }
        int width = failures.keySet().stream().mapToInt(String::length).max().orElse(0);
        String format = "     %-" + width + "s %10s  %s";
        rows.add(String.format(Locale.ROOT, format, "failure", "inputs", "first"));
        failures.forEach((code, row) ->
                rows.add(String.format(Locale.ROOT, format, code, row.count, shortened(row.firstInput))));
        return rows;
    }

    private static String shortened(String input) {
        String clean = input.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= SHOWN_CHARS ? clean : "..." + clean.substring(clean.length() - SHOWN_CHARS);
    }
}

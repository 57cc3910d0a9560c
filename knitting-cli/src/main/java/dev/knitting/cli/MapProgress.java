package dev.knitting.cli;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * The bar on standard error that moves with each line: done, elapsed and estimated time, rate, failures. Nothing at all
 * where nobody looks.
 */
final class MapProgress implements AutoCloseable {
    private static final int DEFAULT_COLUMNS = 80;
    private static final int MIN_COLUMNS = 40;
    private static final int INTERVAL_MILLIS = 200;
    /** To the first column, and nothing right of it. */
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final @Nullable ProgressBar bar;
    private final @Nullable PrintStream sharedWithLines;
    private long shownFailures;

    private MapProgress(@Nullable ProgressBar bar, @Nullable PrintStream sharedWithLines) {
        this.bar = bar;
        this.sharedWithLines = sharedWithLines;
    }

    static MapProgress none() {
        return new MapProgress(null, null);
    }

    /**
     * A bar.
     *
     * @param total how many steps there are; -1 if nobody knows
     * @param linesOnTerminal whether result lines come to the same terminal, and the bar must make room for them
     */
    static MapProgress on(PrintStream err, long total, boolean linesOnTerminal) {
        ProgressBar bar = new ProgressBarBuilder()
                .setTaskName("map")
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(INTERVAL_MILLIS)
                .showSpeed()
                // The width is given, so that the library does not start looking for the terminal.
                .setConsumer(new ConsoleProgressBarConsumer(err, columns()))
                .build();
        return new MapProgress(bar, linesOnTerminal ? err : null);
    }

    /** Result lines are about to be written. */
    void beforeLines() {
        if (sharedWithLines != null) {
            sharedWithLines.print(CLEAR_LINE);
        }
    }

    /**
     * A result line was written.
     *
     * @param failures how many lines so far are failures
     */
    void step(long failures) {
        if (bar == null) {
            return;
        }
        if (failures != shownFailures) {
            shownFailures = failures;
            bar.setExtraMessage(" " + failures + " failed");
        }
        bar.step();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }

    private static int columns() {
        try {
            return Math.max(MIN_COLUMNS, Integer.parseInt(System.getenv().getOrDefault("COLUMNS", "")));
        } catch (NumberFormatException e) {
            // Shells export it rarely; the usual width will do.
            return DEFAULT_COLUMNS;
        }
    }
}

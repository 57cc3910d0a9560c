package dev.knitting.cli;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** The bar on standard error that moves with each line; nothing at all where nobody looks. */
final class MapProgress implements AutoCloseable {
    private static final int DEFAULT_COLUMNS = 80;
    private static final int MIN_COLUMNS = 40;
    private static final int INTERVAL_MILLIS = 200;

    private final @Nullable ProgressBar bar;

    private MapProgress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    static MapProgress none() {
        return new MapProgress(null);
    }

    /**
     * A bar.
     *
     * @param total how many steps there are; -1 if nobody knows
     */
    static MapProgress on(PrintStream err, long total) {
        return new MapProgress(new ProgressBarBuilder()
                .setTaskName("map")
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(INTERVAL_MILLIS)
                .showSpeed()
                // The width is given, so that the library does not start looking for the terminal.
                .setConsumer(new ConsoleProgressBarConsumer(err, columns()))
                .build());
    }

    void step() {
        if (bar != null) {
            bar.step();
        }
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

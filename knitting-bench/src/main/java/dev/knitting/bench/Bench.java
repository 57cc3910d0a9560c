package dev.knitting.bench;

import picocli.CommandLine;

/** Runs {@link BenchCommand} on its own, without the {@code knit} command. */
public final class Bench {
    private Bench() {}

    /**
     * Runs the command and ends the JVM with its exit code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new BenchCommand()).execute(args));
    }
}

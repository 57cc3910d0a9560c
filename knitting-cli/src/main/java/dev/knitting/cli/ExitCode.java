package dev.knitting.cli;

/** Exit codes of the {@code knit} command; documented in its help, so never renumbered. */
final class ExitCode {
    /** Everything succeeded. */
    static final int OK = 0;

    /** {@code map} went through its inputs, and some of them failed. */
    static final int SOME_FAILED = 1;

    /** The command line cannot be carried out as it was given. */
    static final int USAGE = 2;

    /** Something else went wrong: workers cannot be started, standard output cannot be written. */
    static final int INTERNAL = 3;

    private ExitCode() {}
}

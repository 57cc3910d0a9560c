package dev.knitting.launch;

import org.jspecify.annotations.Nullable;

/** Names of the signals that can end a process, by Linux numbers. */
final class Signals {
    private static final int BASE = 128;
    private static final String[] NAMES = {
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
        "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
        "WINCH", "IO", "PWR", "SYS"
    };

    private Signals() {}

    /** {@code SIGKILL} for exit code 137; null for a code that is no signal's. */
    static @Nullable String ofExitCode(int exitCode) {
        int number = exitCode - BASE;
        return number >= 1 && number <= NAMES.length ? "SIG" + NAMES[number - 1] : null;
    }
}

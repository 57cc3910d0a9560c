package dev.knitting.launch;

import org.jspecify.annotations.Nullable;

/**
 * How a worker process ended, as the operating system and the worker's own output tell it. Nothing in here is guessed.
 *
 * @param pid of the process
 * @param exitCode as a shell shows it: 128 + n for signal n
 * @param signal e.g. {@code SIGKILL}, or null if it exited by itself
 * @param outOfMemory whether the JVM itself said that it ran out of memory
 * @param killedForMemory whether the kernel's books say that it killed a process of this control group for lack of memory
 * @param lastOutput its last lines (at most 64 lines and 16 KiB characters), or empty
 * @param crashReport the head of the JVM's crash report ({@code hs_err}), or empty if it wrote none
 */
public record WorkerExit(
        long pid,
        int exitCode,
        @Nullable String signal,
        boolean outOfMemory,
        boolean killedForMemory,
        String lastOutput,
        String crashReport) {

    /** Whether a signal or a crash of the JVM ended it, rather than an exit. */
    public boolean isCrash() {
        return signal != null || !crashReport.isEmpty();
    }

    /** Text for exceptions: {@code pid=71, exitCode=134, signal=SIGABRT, lastOutput="..."}. */
    public String describe() {
        return ExitText.describe(this);
    }
}

package dev.knitting.launch;

import dev.knitting.memory.ForeignFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Turns what is known of a dead worker into a {@link WorkerExit} and into text. */
final class ExitText {
    private static final int MAX_REPORT_CHARS = 2048;
    private static final int MAX_REPORT_LINES = 40;
    private static final int MAX_REPORT_BYTES = 16 * 1024;
    private static final int MAX_OUTPUT_CHARS = 2048;
    /** What HotSpot prints when it is out of memory; a task's caught exception prints none of it. */
    private static final String[] OUT_OF_MEMORY = {
        "Terminating due to java.lang.OutOfMemoryError",
        "Aborting due to java.lang.OutOfMemoryError",
        "There is insufficient memory for the Java Runtime Environment to continue",
        "Could not reserve enough space for",
        "Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler",
    };

    private ExitText() {}

    /** Collects what is known after the end of a process and of its output. */
    static WorkerExit collect(long pid, int exitCode, OutputTail tail, Path errorFile, MemoryKills memoryKills) {
        String output = tail.text();
        String report = head(errorFile);
        return new WorkerExit(
                pid,
                exitCode,
                Signals.ofExitCode(exitCode),
                saysOutOfMemory(output) || saysOutOfMemory(report),
                memoryKills.claim(exitCode),
                output,
                report);
    }

    private static boolean saysOutOfMemory(String text) {
        for (String sentence : OUT_OF_MEMORY) {
            if (text.contains(sentence)) {
                return true;
            }
        }
        // The launcher's report of an uncaught exception begins a line; a task's log line may hold the same words.
        return text.lines()
                .anyMatch(line ->
                        line.startsWith("Exception in thread ") && line.contains(" java.lang.OutOfMemoryError"));
    }

    /** The commented lines a crash report begins with, without advice on core dumps and bug reports; empty if there is none. */
    private static String head(Path file) {
        StringBuilder head = new StringBuilder();
        try {
            byte[] bytes = ForeignFile.head(file, MAX_REPORT_BYTES);
            // A half-written report of a crash within the crash may hold any bytes: this decoder replaces them.
            String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", MAX_REPORT_LINES + 1);
            for (int i = 0; i < Math.min(lines.length, MAX_REPORT_LINES) && head.length() < MAX_REPORT_CHARS; i++) {
                String text = lines[i].startsWith("#") ? lines[i].substring(1).strip() : "";
                if (!text.isEmpty() && !text.startsWith("If you would like") && !text.startsWith("https://")) {
                    head.append(head.isEmpty() ? "" : "\n").append(text);
                }
            }
        } catch (IOException e) {
            LauncherLog.warning("crash report of a worker not read: file=" + file, e);
        }
        return head.length() > MAX_REPORT_CHARS ? head.substring(0, MAX_REPORT_CHARS) : head.toString();
    }

    static String describe(WorkerExit exit) {
        StringBuilder text = new StringBuilder(256);
        text.append("pid=").append(exit.pid()).append(", exitCode=").append(exit.exitCode());
        if (exit.signal() != null) {
            text.append(", signal=").append(exit.signal());
        }
        if (exit.outOfMemory()) {
            text.append(", outOfMemory=true");
        }
        if (exit.killedForMemory()) {
            text.append(", killedBy=\"the kernel, for lack of memory (oom_kill)\"");
        } else if ("SIGKILL".equals(exit.signal())) {
            text.append(", cause=unknown");
        }
        appendQuoted(", lastOutput=", exit.lastOutput(), text);
        appendQuoted(", crashReport=", exit.crashReport(), text);
        return text.toString();
    }

    /** Quotes inside are escaped; line ends are kept, for people read this. */
    private static void appendQuoted(String name, String value, StringBuilder to) {
        if (value.isEmpty()) {
            return;
        }
        to.append(name).append('"');
        int start = value.length() - MAX_OUTPUT_CHARS;
        if (start > 0) {
            to.append("[...]");
        }
        to.append(value.substring(Math.max(0, start)).replace("\\", "\\\\").replace("\"", "\\\""))
                .append('"');
    }
}

package dev.knitting.host;

import dev.knitting.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Tasks for tests in which workers die or never answer. */
final class DeathTasks {
    static final Task<Void, Long> PID = Task.of(DeathTasks::pid);
    static final Task<String, Long> MARK_AND_HANG = Task.of(DeathTasks::markAndHang);
    static final Task<String, Long> MARK = Task.of(DeathTasks::mark);
    static final Task<Integer, Integer> EXIT = Task.of(DeathTasks::exit);
    static final Task<Integer, Integer> HALT = Task.of(DeathTasks::halt);
    static final Task<String, String> MARK_AND_AWAIT_FILE = Task.of(DeathTasks::markAndAwaitFile);

    private DeathTasks() {}

    static long pid() {
        return ProcessHandle.current().pid();
    }

    /** Says in the file that it runs, and never ends; an interrupt means nothing to it. */
    static long markAndHang(String file) throws IOException {
        mark(file);
        while (true) {
            LockSupport.parkNanos(10_000_000);
            Thread.interrupted();
        }
    }

    /** Adds a line to the file: once a run. */
    static long mark(String file) throws IOException {
        Files.writeString(
                Path.of(file),
                pid() + "\n",
                java.nio.file.StandardOpenOption.CREATE,
                java.nio.file.StandardOpenOption.APPEND);
        return pid();
    }

    /** Says in one file that it runs, and ends when the other one exists; or after a minute, since its test has failed. */
    static String markAndAwaitFile(String files) throws IOException {
        String[] both = files.split("\n");
        mark(both[0]);
        long until = System.nanoTime() + 60_000_000_000L;
        while (!Files.exists(Path.of(both[1]))) {
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("nobody made " + both[1]);
            }
            LockSupport.parkNanos(1_000_000);
        }
        return "ended";
    }

    static int exit(int code) {
        System.exit(code);
        return code;
    }

    static int halt(int code) {
        Runtime.getRuntime().halt(code);
        return code;
    }
}

package dev.knitting.observe;

import dev.knitting.Task;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Tasks whose traces the tests look for. */
final class ObserveTasks {
    static final Task<Long, Long> INC = Task.of(ObserveTasks::inc);
    static final Task<String, String> FAIL = Task.of(ObserveTasks::fail);
    static final Task<byte[], byte[]> ECHO = Task.of(ObserveTasks::echo);
    static final Task<String, String> AWAIT_FILE = Task.of(ObserveTasks::awaitFile);
    static final Task<Integer, Integer> EXIT = Task.of(ObserveTasks::exit);

    private ObserveTasks() {}

    private static long inc(long value) {
        return value + 1;
    }

    private static String fail(String text) {
        throw new IllegalStateException(text);
    }

    private static byte[] echo(byte[] bytes) {
        return bytes;
    }

    /** Ends when the file exists. */
    private static String awaitFile(String file) {
        while (!Files.exists(Path.of(file))) {
            LockSupport.parkNanos(1_000_000);
        }
        return "ended";
    }

    private static int exit(int code) {
        System.exit(code);
        return code;
    }
}

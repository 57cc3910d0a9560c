package dev.knitting.host;

import dev.knitting.Task;
import dev.knitting.TaskContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Tasks for workers that die of injected faults. */
final class FaultTasks {
    static final Task<Long, Long> INC = Task.of(FaultTasks::inc);
    static final Task<String, String> ECHO = Task.of(FaultTasks::echo);
    static final Task<byte[], byte[]> REVERSE = Task.of(FaultTasks::reverse);
    static final Task<String, String> FAIL = Task.of(FaultTasks::fail);
    static final Task<Void, Long> PID = Task.of(FaultTasks::pid);
    static final Task<Integer, Boolean> HALT_WORKER = Task.of(FaultTasks::haltWorker);

    static final Task<Long, Long> LATER = Task.async(FaultTasks::later);

    public interface Adder {
        long add(long first, long second);
    }

    public static final class Sum implements Adder {
        @Override
        public long add(long first, long second) {
            return first + second;
        }
    }

    private FaultTasks() {}

    /** A stage that is not complete when the task returns. */
    static CompletableFuture<Long> later(long number) {
        return CompletableFuture.supplyAsync(
                () -> number + 1, CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
    }

    static long inc(long number) {
        return number + 1;
    }

    static String echo(String text) {
        return text;
    }

    static byte[] reverse(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[bytes.length - 1 - i] = bytes[i];
        }
        return reversed;
    }

    static long add(long first, long second) {
        return first + second;
    }

    static String fail(String text) {
        throw new IllegalStateException(text);
    }

    /** Ends this process, if it is that worker. */
    static boolean haltWorker(int worker) {
        if (TaskContext.current().workerId() == worker) {
            Runtime.getRuntime().halt(9);
        }
        return false;
    }

    static long pid() {
        return ProcessHandle.current().pid();
    }
}

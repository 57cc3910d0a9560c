package dev.knitting.host;

import dev.knitting.Task;
import dev.knitting.TaskContext;
import java.io.File;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Tasks that can be stopped, or cannot. Each says by its first progress report that it has begun. */
final class CancelTasks {
    static final Task<Void, String> UNTIL_CANCELLED = Task.of(CancelTasks::untilCancelled);
    static final Task<Void, String> UNTIL_THROWN = Task.of(CancelTasks::untilThrown);
    static final Task<Void, String> UNTIL_INTERRUPTED = Task.of(CancelTasks::untilInterrupted);
    static final Task<String, String> DEAF_UNTIL_FILE = Task.of(CancelTasks::deafUntilFile);
    static final Task<Void, Boolean> IS_INTERRUPTED = Task.of(CancelTasks::isInterrupted);
    static final Task<Void, Boolean> IS_CANCELLED = Task.of(CancelTasks::isCancelled);
    static final Task<Long, Long> SPIN_MICROS = Task.of(CancelTasks::spinMicros);
    static final Task<Void, Boolean> PARK_BRIEFLY = Task.of(CancelTasks::parkBriefly);
    static final Task<Integer, Integer> REPORT = Task.of(CancelTasks::report);
    static final Task<String, String> REPORT_NOTE = Task.of(CancelTasks::reportNote);
    static final Task<Integer, Long> REPORT_FROM_OTHER_THREAD = Task.of(CancelTasks::reportFromOtherThread);
    static final Task<Void, Duration> REMAINING = Task.of(CancelTasks::remaining);
    static final Task<Void, String> UNTIL_FLAG_THEN_RUN_ON = Task.of(CancelTasks::untilFlagThenRunOn);

    /** Ends its process as soon as it is cancelled. */
    static final Task<Void, String> DIE = Task.of(CancelTasks::die);

    private CancelTasks() {}

    private static String die() {
        begin();
        while (!TaskContext.current().cancelled()) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(3);
        return "not reached";
    }

    private static void begin() {
        TaskContext.current().progress(0, 0, "begun");
    }

    private static String untilCancelled() {
        begin();
        while (!deeper(5)) {
            Thread.onSpinWait();
        }
        return "saw the flag, interrupted=" + Thread.currentThread().isInterrupted();
    }

    /** The context is found at any depth. */
    private static boolean deeper(int levels) {
        return levels == 0 ? TaskContext.current().cancelled() : deeper(levels - 1);
    }

    private static String untilThrown() {
        begin();
        while (true) {
            TaskContext.current().throwIfCancelled();
            Thread.onSpinWait();
        }
    }

    private static String untilInterrupted() {
        begin();
        try {
            new CountDownLatch(1).await();
            return "passed";
        } catch (InterruptedException e) {
            TaskContext.current().progress(System.nanoTime(), 0, "interrupted"); // one clock for host and workers
            return "interrupted";
        }
    }

    /** Neither looks at its context nor sleeps; the test lets it go on by a file. */
    private static String deafUntilFile(String path) {
        begin();
        while (!new File(path).exists()) {
            spinMicros(500);
        }
        return path;
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    private static boolean isCancelled() {
        return TaskContext.current().cancelled();
    }

    static long spinMicros(long micros) {
        long end = System.nanoTime() + micros * 1_000;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        return micros;
    }

    /** Whether an interrupt met it; waits for one for a moment. */
    private static boolean parkBriefly() {
        LockSupport.parkNanos(20_000);
        return Thread.currentThread().isInterrupted();
    }

    private static int report(int steps) {
        for (int i = 1; i <= steps; i++) {
            TaskContext.current().progress(i, steps, null);
        }
        return steps;
    }

    private static String reportNote(String note) {
        TaskContext.current().progress(-1, Long.MAX_VALUE, note);
        return note;
    }

    private static long reportFromOtherThread(int steps) throws InterruptedException {
        TaskContext context = TaskContext.current();
        Thread other = new Thread(() -> {
            for (int i = 1; i <= steps; i++) {
                context.progress(i, steps, "other");
            }
        });
        other.start();
        other.join();
        return steps;
    }

    private static Duration remaining() {
        return TaskContext.current().remaining();
    }

    /** Sees the flag, and goes on to a result of its own. */
    private static String untilFlagThenRunOn() {
        begin();
        while (!TaskContext.current().cancelled()) {
            Thread.onSpinWait();
        }
        spinMicros(2_000);
        return "own result";
    }
}

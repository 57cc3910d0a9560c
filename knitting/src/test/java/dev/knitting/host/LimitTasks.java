package dev.knitting.host;

import dev.knitting.Task;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** Tasks for tests of time limits. */
final class LimitTasks {
    static final Task<String, String> LINGER = Task.of(LimitTasks::linger);
    static final Task<Long, Long> SLEEP = Task.of(LimitTasks::sleep);
    static final Task<Void, String> THREAD = Task.of(LimitTasks::thread);
    static final Task<Void, Boolean> INTERRUPTED = Task.of(LimitTasks::interrupted);
    static final Task<Void, String> STUBBORN = Task.of(LimitTasks::stubborn);
    static final Task<String, Long> MARK_AND_IGNORE = Task.of(LimitTasks::markAndIgnore);

    /** Sees its interrupt and keeps it, until it is released. Tells who is waiting for it on which thread it runs. */
    static final Task<Void, Boolean> IGNORE_INTERRUPT = Task.of(LimitTasks::ignoreInterrupt);

    static final BlockingQueue<CompletableFuture<Thread>> TELL = new LinkedBlockingQueue<>();

    /** In a thread of the test; a worker process has one of its own, which nobody releases. */
    private static volatile boolean held;

    private LimitTasks() {}

    static void hold() {
        held = true;
    }

    static void release() {
        held = false;
    }

    /** Says in a file that it runs, and takes so many milliseconds unless it is interrupted. */
    static String linger(String fileAndMillis) throws IOException, InterruptedException {
        String[] both = fileAndMillis.split("\n");
        DeathTasks.mark(both[0]);
        Thread.sleep(Long.parseLong(both[1]));
        return "ended";
    }

    static long sleep(long millis) throws InterruptedException {
        Thread.sleep(millis);
        return millis;
    }

    static String thread() {
        return Thread.currentThread().getName() + " " + Thread.currentThread().threadId();
    }

    static boolean interrupted() {
        return Thread.currentThread().isInterrupted();
    }

    /** An interrupt means nothing to it. */
    static String stubborn() {
        while (held) {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
        }
        return "ended";
    }

    static boolean ignoreInterrupt() throws InterruptedException {
        TELL.take().complete(Thread.currentThread());
        while (held) {
            Thread.onSpinWait();
        }
        return Thread.currentThread().isInterrupted();
    }

    /** As {@link #stubborn}, and says in a file that it runs; in a process it never ends. */
    static long markAndIgnore(String file) throws IOException {
        boolean inTest = held;
        DeathTasks.mark(Path.of(file).toString());
        while (held || !inTest) {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
        }
        return 1;
    }
}

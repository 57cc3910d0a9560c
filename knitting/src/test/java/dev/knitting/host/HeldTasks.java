package dev.knitting.host;

import dev.knitting.Task;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Two tasks of a thread worker with a gate each. */
final class HeldTasks {
    static final Task<Void, String> FIRST = Task.of(HeldTasks::first);
    static final Task<Void, String> SECOND = Task.of(HeldTasks::second);

    private static volatile Semaphore begun = new Semaphore(0);
    private static volatile Semaphore firstGate = new Semaphore(0);
    private static volatile Semaphore secondGate = new Semaphore(0);

    private HeldTasks() {}

    static void shut() {
        begun = new Semaphore(0);
        firstGate = new Semaphore(0);
        secondGate = new Semaphore(0);
    }

    static void awaitBegun() throws InterruptedException {
        if (!begun.tryAcquire(60, TimeUnit.SECONDS)) {
            throw new AssertionError("no task has begun");
        }
    }

    static void openFirst() {
        firstGate.release();
    }

    static void openSecond() {
        secondGate.release();
    }

    private static String first() throws InterruptedException {
        begun.release();
        firstGate.acquire();
        return "first";
    }

    private static String second() throws InterruptedException {
        begun.release();
        secondGate.acquire();
        return "second";
    }
}

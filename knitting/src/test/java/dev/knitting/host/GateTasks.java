package dev.knitting.host;

import dev.knitting.Task;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Tasks of thread workers that wait until the test lets them on; and what the test sees of them. */
final class GateTasks {
    static final Task<Void, String> WAIT = Task.of(GateTasks::waitAtTheGate);
    static final Task<byte[], Integer> WAIT_WITH_BYTES = Task.of(GateTasks::waitWithBytes);
    static final Task<Void, String> WAIT_STUBBORN = Task.of(GateTasks::waitStubbornly);

    /** Tasks that have begun. */
    static volatile Semaphore begun = new Semaphore(0);
    /** Opens for all. */
    static volatile CountDownLatch gate = new CountDownLatch(0);

    private GateTasks() {}

    /** From now on tasks wait. */
    static void shut() {
        gate = new CountDownLatch(1);
        begun = new Semaphore(0);
    }

    static void open() {
        gate.countDown();
    }

    static void awaitBegun(int tasks) throws InterruptedException {
        if (!begun.tryAcquire(tasks, 30, TimeUnit.SECONDS)) {
            throw new AssertionError("no task has begun");
        }
    }

    static String waitAtTheGate() throws InterruptedException {
        begun.release();
        gate.await();
        return "passed";
    }

    static int waitWithBytes(byte[] bytes) throws InterruptedException {
        waitAtTheGate();
        return bytes.length;
    }

    /** An interrupt means nothing to it. */
    static String waitStubbornly() {
        begun.release();
        while (true) {
            try {
                gate.await();
                return "passed";
            } catch (InterruptedException e) {
                begun.release(); // tells the test that it was interrupted and goes on
            }
        }
    }
}

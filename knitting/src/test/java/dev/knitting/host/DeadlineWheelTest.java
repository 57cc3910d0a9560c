package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The wheel: never early, each deadline once, no thread without deadlines. */
class DeadlineWheelTest {
    private static final long MILLI = 1_000_000;

    private final DeadlineWheel wheel = new DeadlineWheel("wheel-test");

    @AfterEach
    void close() {
        wheel.close();
        assertThat(wheel.isRunning()).isFalse();
    }

    private static final class Mark extends DeadlineWheel.Deadline {
        private final CountDownLatch latch;
        private final AtomicInteger times = new AtomicInteger();
        private volatile long atNanos;
        private volatile long expiredNanos;

        Mark(CountDownLatch latch) {
            this.latch = latch;
        }

        @Override
        void expired(long nowNanos) {
            expiredNanos = System.nanoTime();
            times.incrementAndGet();
            latch.countDown();
        }
    }

    /** From every level that a test can wait for, with neighbours at the borders of buckets. */
    @Test
    void set_manyDistances_eachExpiresOnceAndNotEarly() throws InterruptedException {
        Random random = new Random(7);
        List<Mark> marks = new ArrayList<>();
        CountDownLatch latch = new CountDownLatch(400);
        for (int i = 0; i < 400; i++) {
            Mark mark = new Mark(latch);
            marks.add(mark);
            long millis = i < 100 ? i % 70 : random.nextInt(i < 300 ? 300 : 5_000);
            mark.atNanos = System.nanoTime() + millis * MILLI;
            wheel.set(mark, mark.atNanos);
        }
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(marks).allSatisfy(mark -> {
            assertThat(mark.times).hasValue(1);
            assertThat(mark.expiredNanos - mark.atNanos).as("never early").isNotNegative();
        });
        assertThat(wheel.size()).isZero();
    }

    @Test
    void cancel_beforeItsTime_neverExpires() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(100);
        List<Mark> kept = new ArrayList<>();
        List<Mark> cancelled = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Mark mark = new Mark(latch);
            wheel.set(mark, System.nanoTime() + (500 + i) * MILLI);
            (i % 2 == 0 ? kept : cancelled).add(mark);
        }
        cancelled.forEach(wheel::cancel);
        cancelled.forEach(wheel::cancel);
        assertThat(wheel.size()).isEqualTo(100);
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(kept).allSatisfy(mark -> assertThat(mark.times).hasValue(1));
        assertThat(cancelled).allSatisfy(mark -> assertThat(mark.times).hasValue(0));
    }

    @Test
    void set_again_movesTheDeadline() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        Mark mark = new Mark(latch);
        wheel.set(mark, System.nanoTime() + TimeUnit.HOURS.toNanos(9));
        wheel.set(mark, System.nanoTime() + TimeUnit.DAYS.toNanos(10_000_000)); // a century, and more than all levels
        assertThat(wheel.size()).isEqualTo(1);
        mark.atNanos = System.nanoTime() + 20 * MILLI;
        wheel.set(mark, mark.atNanos); // sooner than the thread meant to wake
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(mark.expiredNanos - mark.atNanos).isNotNegative();
        assertThat(mark.times).hasValue(1);
    }

    @Test
    void expired_handlerThrowsOrSetsAgain_othersGoOn() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(5);
        wheel.set(
                new DeadlineWheel.Deadline() {
                    @Override
                    void expired(long nowNanos) {
                        throw new IllegalStateException("on purpose");
                    }
                },
                System.nanoTime());
        wheel.set(
                new DeadlineWheel.Deadline() {
                    @Override
                    void expired(long nowNanos) {
                        latch.countDown();
                        if (latch.getCount() > 0) {
                            wheel.set(this, nowNanos + MILLI);
                        }
                    }
                },
                System.nanoTime() - MILLI);
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void thread_existsOnlyWhileThereAreDeadlines() throws InterruptedException {
        assertThat(wheel.isRunning()).as("unused").isFalse();
        for (int round = 0; round < 2; round++) {
            CountDownLatch latch = new CountDownLatch(1);
            wheel.set(new Mark(latch), System.nanoTime() + MILLI);
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
            Watch.await("the thread to end", () -> !wheel.isRunning());
        }
    }

    @Test
    void setAndCancel_byManyThreads_booksBalance() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int seed = t;
            threads.add(Thread.ofPlatform().start(() -> {
                Random random = new Random(seed);
                Mark[] marks = new Mark[64];
                for (int i = 0; i < 20_000; i++) {
                    int at = random.nextInt(marks.length);
                    if (marks[at] == null) {
                        marks[at] = new Mark(new CountDownLatch(1));
                    }
                    long distance = 1L << random.nextInt(33);
                    if (random.nextBoolean()) {
                        wheel.set(marks[at], System.nanoTime() + distance);
                    } else {
                        wheel.cancel(marks[at]);
                    }
                }
                for (Mark mark : marks) {
                    if (mark != null) {
                        wheel.cancel(mark);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wheel.size()).isZero();
    }
}

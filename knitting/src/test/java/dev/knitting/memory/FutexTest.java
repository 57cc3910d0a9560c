package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.Memory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FutexTest {
    private static final long LONG_NANOS = 30_000_000_000L;
    private static final long SHORT_NANOS = 20_000_000L;
    private static final long OFFSET = MemoryChild.FUTEX_OFFSET;

    private SharedSegment segment;
    private MemorySegment memory;

    @BeforeEach
    void createSegment() {
        assumeTrue(NativeAccess.enabled(), "no native access");
        segment = SharedSegment.create(Memory.INHERITED, 1 << 20, null);
        segment.reserve(0, 1 << 16);
        memory = segment.memory();
    }

    @AfterEach
    void closeSegment() {
        if (segment != null) {
            segment.close();
        }
    }

    private static Future<Futex.Result> inThread(Callable<Futex.Result> wait) {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            return thread.submit(wait);
        } finally {
            thread.shutdown();
        }
    }

    private void wakeOne(long offset) {
        while (Futex.wake(memory, offset, 1) == 0) {
            Thread.onSpinWait(); // the waiter is not asleep yet
            assertThat(Thread.interrupted()).as("time is over").isFalse();
        }
    }

    @Test
    void waitOn_wokenByThread_returnsWoken() throws Exception {
        Future<Futex.Result> waiter = inThread(() -> Futex.waitOn(memory, OFFSET, 0, LONG_NANOS));
        wakeOne(OFFSET);
        assertThat(waiter.get()).isEqualTo(Futex.Result.WOKEN);
    }

    @Test
    void waitOn_wokenByProcess_returnsWoken() throws Exception {
        try (ChildJvm child = ChildJvm.attach("wake", segment)) {
            assertThat(Futex.waitOn(memory, OFFSET, 0, LONG_NANOS)).isEqualTo(Futex.Result.WOKEN);
            assertThat(child.line()).isEqualTo("woke");
        }
    }

    @Test
    void wake_waiterInOtherProcess_isWoken() throws Exception {
        SharedWords.setIntRelease(memory, OFFSET, 7);
        try (ChildJvm child = ChildJvm.attach("wait", segment)) {
            wakeOne(OFFSET);
            assertThat(child.line()).isEqualTo("WOKEN");
        }
    }

    @Test
    void waitOn_otherValue_returnsAtOnce() {
        SharedWords.setIntRelease(memory, OFFSET, 3);
        long start = System.nanoTime();
        assertThat(Futex.waitOn(memory, OFFSET, 4, LONG_NANOS)).isEqualTo(Futex.Result.VALUE_CHANGED);
        assertThat(System.nanoTime() - start).isLessThan(LONG_NANOS / 2);
    }

    @Test
    void waitOn_negativeExpectedValue_isCompared() {
        SharedWords.setIntRelease(memory, OFFSET, -5);
        assertThat(Futex.waitOn(memory, OFFSET, -5, 1)).isEqualTo(Futex.Result.TIMED_OUT);
        assertThat(Futex.waitOn(memory, OFFSET, -4, 1)).isEqualTo(Futex.Result.VALUE_CHANGED);
    }

    @Test
    void waitOn_nobodyWakes_timesOut() {
        long start = System.nanoTime();
        assertThat(Futex.waitOn(memory, OFFSET, 0, SHORT_NANOS)).isEqualTo(Futex.Result.TIMED_OUT);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT_NANOS);
    }

    @Test
    void waitOn_noTime_doesNotSleep() {
        assertThat(Futex.waitOn(memory, OFFSET, 0, 0)).isEqualTo(Futex.Result.TIMED_OUT);
        assertThat(Futex.waitOn(memory, OFFSET, 0, -1)).isEqualTo(Futex.Result.TIMED_OUT);
    }

    @Test
    void wake_nobodySleeps_wakesNone() {
        assertThat(Futex.wake(memory, OFFSET, Integer.MAX_VALUE)).isZero();
    }

    @Test
    void wake_otherWord_leavesSleeperAlone() throws Exception {
        Future<Futex.Result> waiter = inThread(() -> Futex.waitOn(memory, OFFSET, 0, LONG_NANOS));
        assertThat(Futex.wake(memory, OFFSET + 4, 1)).isZero();
        wakeOne(OFFSET);
        assertThat(waiter.get()).isEqualTo(Futex.Result.WOKEN);
    }

    @Test
    void waitOn_unmappedAddress_throws() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Futex.waitOn(8, 0, 1))
                .withMessageContaining("errno=14");
        assertThatIllegalStateException().isThrownBy(() -> Futex.wake(4, 1));
    }

    @Test
    void waitOn_offsetOutside_throws() {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> Futex.waitOn(memory, memory.byteSize() - 3, 0, 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> Futex.wake(memory, -4, 1));
    }

    @Test
    void waitOnAny_secondWordWoken_returnsWoken() throws Exception {
        assumeWaitAny();
        long[] words = {memory.address() + OFFSET, memory.address() + OFFSET + 128};
        Future<Futex.Result> waiter = inThread(() -> Futex.waitOnAny(words, new int[] {0, 0}, 2, LONG_NANOS));
        wakeOne(OFFSET + 128);
        assertThat(waiter.get()).isEqualTo(Futex.Result.WOKEN);
    }

    @Test
    void waitOnAny_oneValueChanged_returnsAtOnce() {
        assumeWaitAny();
        SharedWords.setIntRelease(memory, OFFSET + 128, -1);
        long[] words = {memory.address() + OFFSET, memory.address() + OFFSET + 128};
        assertThat(Futex.waitOnAny(words, new int[] {0, 0}, 2, LONG_NANOS)).isEqualTo(Futex.Result.VALUE_CHANGED);
        assertThat(Futex.waitOnAny(words, new int[] {0, -1}, 2, 1)).isEqualTo(Futex.Result.TIMED_OUT);
    }

    @Test
    void waitOnAny_nobodyWakes_timesOut() {
        assumeWaitAny();
        long[] words = {memory.address() + OFFSET};
        long start = System.nanoTime();
        assertThat(Futex.waitOnAny(words, new int[1], 1, SHORT_NANOS)).isEqualTo(Futex.Result.TIMED_OUT);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT_NANOS);
    }

    @Test
    void waitOnAny_countOutOfRange_throws() {
        assertThatIllegalArgumentException().isThrownBy(() -> Futex.waitOnAny(new long[2], new int[2], 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Futex.waitOnAny(new long[2], new int[2], 3, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Futex.waitOnAny(new long[200], new int[200], 129, 1))
                .withMessageContaining("limit=128");
    }

    private void assumeWaitAny() {
        long[] words = {memory.address() + OFFSET};
        assumeTrue(Futex.waitOnAny(words, new int[1], 1, 0) != Futex.Result.UNSUPPORTED, "kernel before 5.16");
    }
}

package dev.knitting.cli.chaos;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What callers count. Any thread. */
final class ChaosCounts {
    private final LongAdder answered = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder unsettled = new LongAdder();
    private final AtomicReference<@Nullable String> firstWrong = new AtomicReference<>();
    private volatile boolean over;

    void answered(boolean right, Supplier<String> what) {
        answered.increment();
        if (!right) {
            wrong.increment();
            firstWrong.compareAndSet(null, what.get());
        }
    }

    /** A call failed because its worker died. */
    void lost() {
        lost.increment();
    }

    void neverSettled() {
        unsettled.increment();
    }

    void end() {
        over = true;
    }

    boolean isOver() {
        return over;
    }

    /** Calls that settled so far. */
    long settled() {
        return answered.sum() + lost.sum();
    }

    long lostSum() {
        return lost.sum();
    }

    long wrongSum() {
        return wrong.sum();
    }

    long unsettledSum() {
        return unsettled.sum();
    }

    @Nullable
    String firstWrong() {
        return firstWrong.get();
    }
}

package dev.knitting.fault;

import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One fault after the other, as they are drawn. Each happens at the first hit of its point after some milliseconds, drawn
 * too, since the one before.
 */
final class DrawnFaults implements FaultPlan {
    /** The next fault, and the time by {@code System.nanoTime()} before which it does not happen. */
    private record Due(Fault fault, long fromNanos) {}

    private final Supplier<Fault> faults;
    private final Random times;
    private final int minMillis;
    private final int maxMillis;
    private final Consumer<Fault> told;
    /** Null while the next one is drawn. */
    private final AtomicReference<@Nullable Due> due;

    /**
     * A plan.
     *
     * @param faults in their order; asked by one thread at a time
     * @param times decides the pauses
     * @param told is told of each fault right before it happens, on the thread that suffers it
     */
    DrawnFaults(Supplier<Fault> faults, Random times, int minMillis, int maxMillis, Consumer<Fault> told) {
        this.faults = faults;
        this.times = times;
        this.minMillis = minMillis;
        this.maxMillis = maxMillis;
        this.told = told;
        this.due = new AtomicReference<>(draw());
    }

    private Due draw() {
        long after = (long) minMillis + times.nextInt(maxMillis - minMillis + 1);
        return new Due(faults.get(), System.nanoTime() + after * 1_000_000);
    }

    @Override
    public void hit(FaultPoint passed) {
        Due now = due.get();
        if (now == null || passed != now.fault.point() || !isOver(now) || !due.compareAndSet(now, null)) {
            return;
        }
        told.accept(now.fault);
        due.set(draw()); // before it acts: that may throw
        now.fault.act();
    }

    /** A worker passes some points once, early or late in its life: they do not wait for a time. */
    private static boolean isOver(Due now) {
        return now.fault.point().isPassedOnce() || System.nanoTime() - now.fromNanos >= 0;
    }
}

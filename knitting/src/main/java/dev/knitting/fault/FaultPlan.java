package dev.knitting.fault;

import dev.knitting.memory.OwnProcess;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What one process does to itself, once, and where. Written as
 *
 * <ul>
 *   <li>{@code POINT:ACTION:HIT:FIRST:LAST}: at the hit with this number, from 1, in each incarnation from the first to
 *       the last one; others live, so that a pool comes to rest.
 *   <li>{@code random:SEED:MIN:MAX:ACTION:SEATS}: in so many seats, from the first one, at the first hit of a point, drawn for this seat and incarnation, after so many
 *       milliseconds, drawn between the two. Points at which a call runs are drawn twice as often as others. What is drawn
 *       depends on nothing but seed, seat and incarnation.
 * </ul>
 *
 * Before it acts it writes a line to standard error: {@value #LINE_PREFIX}, then point and action.
 */
public final class FaultPlan {
    /** How the line begins that tells of a fault. */
    public static final String LINE_PREFIX = "knitting-fault: ";

    private static final int DELAY_MILLIS = 20;

    private final FaultPoint point;
    private final FaultAction action;
    private final int hit;
    private final long fromNanos;
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicBoolean done = new AtomicBoolean();

    private FaultPlan(FaultPoint point, FaultAction action, int hit, long fromNanos) {
        this.point = point;
        this.action = action;
        this.hit = hit;
        this.fromNanos = fromNanos;
    }

    /**
     * Reads a plan.
     *
     * @return null if the text is empty or the plan does not concern this incarnation
     * @throws IllegalArgumentException if the text is no plan
     */
    static @Nullable FaultPlan parse(String text, int seat, int incarnation) {
        if (text.isEmpty()) {
            return null;
        }
        String[] parts = text.split(":", -1);
        if (parts[0].equals("random")) {
            if (seat >= Integer.parseInt(parts[5])) {
                return null;
            }
            return draw(
                    Long.parseLong(parts[1]),
                    Integer.parseInt(parts[2]),
                    Integer.parseInt(parts[3]),
                    FaultAction.valueOf(parts[4]),
                    seat,
                    incarnation);
        }
        if (incarnation < Integer.parseInt(parts[3]) || incarnation > Integer.parseInt(parts[4])) {
            return null;
        }
        return new FaultPlan(
                FaultPoint.valueOf(parts[0]),
                FaultAction.valueOf(parts[1]),
                Integer.parseInt(parts[2]),
                Long.MIN_VALUE);
    }

    private static FaultPlan draw(
            long seed, int minMillis, int maxMillis, FaultAction action, int seat, int incarnation) {
        Random random = new Random(seed * 31 * 31 + seat * 31L + incarnation);
        random.nextInt(); // the first numbers of neighbouring seeds resemble each other
        FaultPoint drawn = drawPoint(random);
        while (incarnation <= 1 && (drawn == FaultPoint.WORKER_ATTACHED || drawn == FaultPoint.WORKER_READY)) {
            drawn = drawPoint(random); // else no pool would ever open
        }
        long after = (long) minMillis + random.nextInt(maxMillis - minMillis + 1);
        return new FaultPlan(drawn, action, 1, System.nanoTime() + after * 1_000_000);
    }

    private static FaultPoint drawPoint(Random random) {
        int weights = 0;
        for (FaultPoint candidate : FaultPoint.values()) {
            weights += weightOf(candidate);
        }
        int left = random.nextInt(weights);
        for (FaultPoint candidate : FaultPoint.values()) {
            left -= weightOf(candidate);
            if (left < 0) {
                return candidate;
            }
        }
        throw new AssertionError("weights do not add up");
    }

    private static int weightOf(FaultPoint candidate) {
        if (!candidate.isWorkers()) {
            return 0;
        }
        return candidate.isRunning() ? 2 : 1;
    }

    /** A thread passes a point. */
    void hit(FaultPoint passed) {
        if (passed != point
                || (fromNanos != Long.MIN_VALUE && !isPassedOnlyOnce() && System.nanoTime() - fromNanos < 0)) {
            return;
        }
        if (hits.incrementAndGet() >= hit && done.compareAndSet(false, true)) {
            act();
        }
    }

    /** A worker passes some points once, early or late in its life: they do not wait for a time. */
    private boolean isPassedOnlyOnce() {
        return point == FaultPoint.WORKER_ATTACHED
                || point == FaultPoint.WORKER_READY
                || point == FaultPoint.WORKER_STOPPING;
    }

    private void act() {
        System.err.println(LINE_PREFIX + "point=" + point + " action=" + action + " pid="
                + ProcessHandle.current().pid());
        System.err.flush();
        switch (action) {
            case KILL -> OwnProcess.kill();
            case STOP -> OwnProcess.stop();
            case DELAY -> LockSupport.parkNanos(DELAY_MILLIS * 1_000_000L);
            case THROW -> throw new InjectedFault(point);
        }
    }
}

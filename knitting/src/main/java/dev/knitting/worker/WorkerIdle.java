package dev.knitting.worker;

import dev.knitting.doorbell.BellSleeper;
import dev.knitting.doorbell.SpinBudget;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.memory.SegmentHeaderView;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How a worker waits: spins while there are cores for it, then sleeps on its bell. Until its way to sleep is linked (a
 * native call, in a process that has just started) it naps instead. The loop's thread only, but for {@link #linked}.
 */
final class WorkerIdle {
    private static final int SPINS_BEFORE_CLOCK = 64;
    private static final int LOOKS_PER_PAUSE = 4;
    private static final long FIRST_NAP_NANOS = 50_000;
    private static final long LAST_NAP_NANOS = 1_000_000;
    private static final int LOOKS_FOR_RELEASE = 40;

    private final MailboxReader calls;
    private final LaneView lane;
    private final SegmentHeaderView header;
    private final SpinBudget budget;
    private final long parkNanos;
    /** The last sleep ended because its time was over: nothing goes on here, spinning before the next is wasted. */
    private boolean quiet;

    private final int processors;
    private volatile boolean asymmetric;
    private volatile boolean hasSleeper;
    private final BellSleeper[] sleeper = new BellSleeper[1];
    private long nap = FIRST_NAP_NANOS;
    /** Looks at a HOLD since the worker entered a call. */
    private int looksForRelease;

    /** Whose completion ends a wait; null until a task has returned a stage that was not complete. */
    private @Nullable OpenStages stages;
    /** The loop's thread; set with the stages. */
    private volatile @Nullable Thread thread;
    /** Asleep on the bell, or about to: a completed stage must kick. */
    private volatile boolean asleep;

    WorkerIdle(MailboxReader calls, LaneView lane, SegmentHeaderView header, long spinNanos, long parkNanos) {
        this.calls = calls;
        this.lane = lane;
        this.header = header;
        this.budget = new SpinBudget(spinNanos);
        this.parkNanos = parkNanos;
        this.processors = header.processorsPlain();
    }

    /** From now on the worker sleeps on its bell. Any thread, once. */
    void linked(BellSleeper bell, boolean asymmetricFence) {
        sleeper[0] = bell;
        asymmetric = asymmetricFence;
        hasSleeper = true;
    }

    /** From now on a completed stage ends a wait too. By the loop's thread, before it adds the first stage. */
    void watch(OpenStages open) {
        stages = open;
        thread = Thread.currentThread();
    }

    /** A stage has completed: it was queued before this. Any thread, as long as the loop runs. */
    void wake() {
        if (asleep) {
            sleeper[0].kick();
        }
        LockSupport.unpark(thread);
    }

    private boolean hasCompletedStage() {
        OpenStages open = stages;
        return open != null && open.hasCompleted();
    }

    /** Waits until there may be a call, or a request; returns early for no reason now and then. */
    void await() {
        looksForRelease = 0;
        if (!quiet && !budget.isZero() && header.awakeWorkersOpaque() < processors && spin()) {
            nap = FIRST_NAP_NANOS;
            return;
        }
        if (hasSleeper) {
            sleep();
        } else {
            if (!hasCompletedStage()) {
                LockSupport.parkNanos(nap);
            }
            nap = Math.min(nap * 2, LAST_NAP_NANOS);
        }
    }

    /** Waits a moment for a stage to complete, whatever calls there are. */
    void awaitStage() {
        if (!hasCompletedStage()) {
            LockSupport.parkNanos(LAST_NAP_NANOS);
        }
    }

    /** Waits a moment for the host, which will ring: for room in the return mailbox or arena. */
    void awaitHost() {
        Thread.interrupted(); // meant for the call, which is over; it would keep this thread from sleeping
        LockSupport.parkNanos(FIRST_NAP_NANOS);
    }

    /** Waits for the host to take a HOLD back: soon, as a rule, but a spare waits until it is needed. */
    void awaitRelease() {
        if (looksForRelease < LOOKS_FOR_RELEASE || !hasSleeper) {
            looksForRelease++;
            awaitHost();
            return;
        }
        Thread.interrupted(); // as in awaitHost
        BellSleeper bell = sleeper[0];
        bell.arm();
        BellFence.sleeper(asymmetric); // armed -> look at the request
        if (lane.pauseAcquire() == LaneLayout.REQUEST_HOLD) {
            bell.sleep(parkNanos);
        }
        bell.disarm();
    }

    private boolean spin() {
        long until = 0;
        for (int spins = 1; ; spins++) {
            // A pause may take longer than a line needs to arrive: several looks for each.
            for (int look = 0; look < LOOKS_PER_PAUSE; look++) {
                if (!calls.isEmpty()) {
                    return true;
                }
            }
            Thread.onSpinWait();
            if ((spins & SPINS_BEFORE_CLOCK - 1) == 0) {
                if (lane.pauseAcquire() != 0 || hasCompletedStage()) {
                    return true;
                }
                long now = System.nanoTime();
                if (until == 0) {
                    until = now + budget.nanos();
                } else if (now - until >= 0) {
                    return false;
                }
            }
        }
    }

    private void sleep() {
        BellSleeper bell = sleeper[0];
        long armed = System.nanoTime();
        header.addAwakeWorkersVolatile(-1);
        asleep = true; // volatile: before the look for completed stages
        bell.arm();
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.WORKER_ARMED);
        }
        BellFence.sleeper(asymmetric); // armed -> look for calls and requests
        if (calls.isEmpty() && lane.pauseAcquire() == 0 && !hasCompletedStage()) {
            bell.sleep(parkNanos);
        }
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.WORKER_WOKEN);
        }
        bell.disarm();
        asleep = false;
        header.addAwakeWorkersVolatile(1);
        long slept = System.nanoTime() - armed;
        quiet = slept >= parkNanos;
        budget.slept(slept);
    }
}

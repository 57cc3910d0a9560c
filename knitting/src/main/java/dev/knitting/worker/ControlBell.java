package dev.knitting.worker;

import dev.knitting.doorbell.BellSleeper;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.LaneView;
import java.util.concurrent.locks.LockSupport;

/**
 * How a worker process waits for aborts. Until its way to sleep is linked it naps. One thread waits; any thread may link,
 * once.
 */
final class ControlBell {
    private static final long NAP_NANOS = 2_000_000;

    private final LaneView lane;
    private final BellSleeper[] sleeper = new BellSleeper[1];
    private boolean asymmetric;
    private volatile boolean hasSleeper;
    /** Whether publishers ring; the waiting thread's. */
    private boolean armed;

    ControlBell(LaneView lane) {
        this.lane = lane;
    }

    /** From now on waiting sleeps on the bell. */
    void linked(BellSleeper bell, boolean asymmetricFence) {
        sleeper[0] = bell;
        asymmetric = asymmetricFence;
        hasSleeper = true;
    }

    /**
     * Waits until the host's requests are others than these, at most so long; may return early for no reason.
     *
     * @param seen what {@link LaneView#requestsAcquire} said when they were looked at
     */
    void await(int seen, long nanos) {
        if (!hasSleeper) {
            LockSupport.parkNanos(Math.min(nanos, NAP_NANOS));
            return;
        }
        BellSleeper bell = sleeper[0];
        if (!armed) {
            armed = true;
            bell.arm();
            BellFence.sleeper(asymmetric); // armed -> look at the requests
        }
        long started = System.nanoTime();
        if (lane.requestsAcquire() == seen) {
            bell.sleep(nanos);
        }
        // A bell that nobody rang stays armed: the next wait costs no fence.
        if (lane.requestsAcquire() != seen || System.nanoTime() - started < nanos) {
            armed = false;
            bell.disarm();
        }
    }
}

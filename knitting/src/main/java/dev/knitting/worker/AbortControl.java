package dev.knitting.worker;

import dev.knitting.mailbox.AbortLayout;
import dev.knitting.mailbox.AbortView;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.LaneView;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Which call a worker runs, and how an interrupt reaches that call and no other. The loop's thread enters and leaves;
 * whoever learns of an abort (the control thread of a process, the thread that cancels in a pool of threads) delivers.
 *
 * <p>Two pairs of store and load, both with the bell's fence ({@link BellFence}), so that a call that nobody cancels pays
 * for no fence of its own:
 *
 * <ol>
 *   <li>Entering: the loop stores {@code running}, fences, looks whether there are aborts. Delivering: the abort is
 *       visible, fence, look at {@code running}. Either the loop sees the abort and does not run the call, or the
 *       deliverer sees the call running.
 *   <li>Leaving: the loop stores {@code running} = none, publishes, fences, looks at {@code delivering}. Delivering:
 *       store {@code delivering}, fence, look at {@code running} again, interrupt. Either the deliverer sees that the call
 *       is over, or the loop waits for the interrupt and clears it.
 * </ol>
 *
 * <p>INV-1: an interrupt is sent only while the call that it is meant for runs, or is cleared before the next one.
 * INV-2: a call gets at most one.
 */
final class AbortControl {
    /** No call. */
    static final long NONE = -1;

    private static final long DELIVERY_PAUSE_NANOS = 10_000;

    private final LaneView lane;
    private final AbortView aborts;
    /** Id of the call that runs. Written by the loop's thread, with release. */
    private final AtomicLong running = new AtomicLong(NONE);
    /** Set while somebody is between looking and interrupting. Volatile: see pair 2. */
    private volatile boolean delivering;
    /** The last call that learned that it shall stop: by a look or by an interrupt. */
    private volatile long informed = NONE;

    private volatile boolean asymmetric;
    private volatile @Nullable Thread thread;
    /** Guarded by this object. */
    private long interrupted = NONE;

    AbortControl(LaneView lane) {
        this.lane = lane;
        this.aborts = new AbortView(lane.window());
    }

    /** The thread to interrupt; before the first call. */
    void runsOn(Thread loopThread) {
        thread = loopThread;
    }

    /**
     * Which fence the deliverer uses. It may be the stronger of the two at any time; the loop's may be the weaker one
     * only after this.
     */
    void fenceWith(boolean asymmetricFence) {
        asymmetric = asymmetricFence;
    }

    // ---- the loop's thread

    /** The call runs from now on; fence, then ask {@link #isSkipped}. */
    void enter(long callId) {
        running.lazySet(callId); // release: order comes from the fence that follows, pair 1
    }

    /** The call that runs, or {@link #NONE}. */
    long running() {
        return running.getPlain();
    }

    /** Whether a call that was just entered was cancelled before. */
    boolean isSkipped(long callId) {
        return lane.hasAbortsAcquire() && (aborts.whatAcquire(callId) & AbortLayout.SKIP) != 0;
    }

    /** The call has ended, but for its publication; whether it had learned that it shall stop. */
    boolean leave(long callId) {
        boolean learned = informed == callId;
        running.lazySet(NONE); // release: order comes from the fence after the publication, pair 2
        return learned;
    }

    /** After the publication and its fence: no interrupt of the call that ended comes after this. */
    void settleInterrupts() {
        while (delivering) {
            LockSupport.parkNanos(DELIVERY_PAUSE_NANOS);
        }
        Thread.interrupted(); // of this call: it must not meet the next one
    }

    // ---- whoever runs a task

    /** Whether the host asked the call to stop. */
    boolean isAborted(long callId) {
        if (aborts.whatAcquire(callId) == 0) {
            return false;
        }
        if (running.get() == callId) {
            informed = callId;
        }
        return true;
    }

    /** Why the call shall stop; after {@link #isAborted} said so. */
    String reason(long callId) {
        return aborts.reasonPlain(callId);
    }

    // ---- whoever learns of an abort

    /** Interrupts the call that runs, if the host wants it. Any thread but the loop's. */
    synchronized void deliver() {
        BellFence.sleeper(asymmetric); // abort seen -> look at the running call, pair 1
        long callId = running.get();
        Thread target = thread;
        if (callId == NONE || callId == interrupted || target == null || !wantsInterrupt(callId)) {
            return;
        }
        delivering = true;
        try {
            BellFence.sleeper(asymmetric); // delivering -> look at the running call again, pair 2
            if (running.get() == callId) {
                interrupted = callId;
                informed = callId;
                target.interrupt();
            }
        } finally {
            delivering = false;
        }
    }

    private boolean wantsInterrupt(long callId) {
        return (aborts.whatAcquire(callId) & AbortLayout.INTERRUPT) != 0;
    }
}

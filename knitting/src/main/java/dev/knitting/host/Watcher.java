package dev.knitting.host;

import dev.knitting.doorbell.BellSleeper;
import java.util.concurrent.locks.LockSupport;

/**
 * The daemon thread that looks after calls when nobody waits for them. It never runs user code.
 *
 * <p>IDLE: parked, nothing is open. NAPPING: calls are open or were until a moment ago; it looks every 50 µs to 1 ms
 * whether somebody makes progress, which costs the callers nothing. LEADING: nobody did for a whole nap, so it sleeps on
 * the bell and drains at each ring, until a caller displaces it. A caller that helps must not pay for rings that wake
 * somebody else, and a caller that submits in order to wait a moment later must not pay for a wake-up: hence the nap
 * between.
 */
final class Watcher extends Thread {
    private static final long SHORTEST_NAP_NANOS = 50_000;
    private static final long LONGEST_NAP_NANOS = 1_000_000;
    private static final long BEAT_NANOS = 50_000_000;
    private static final int QUIET_NAPS_BEFORE_IDLE = 20;

    private final Completion completion;
    private long nextBeatNanos = System.nanoTime();
    private volatile boolean idle;
    /** Asleep on the bell, perhaps after another thread became the leader. */
    private volatile boolean onBell;

    private volatile boolean closed;

    Watcher(String poolName, Completion completion) {
        super(null, null, "knitting-watcher-" + poolName);
        setDaemon(true);
        this.completion = completion;
    }

    /** Wakes the thread if it is idle. Any thread; one load when it is not. */
    void wakeIfIdle() {
        if (idle) {
            idle = false;
            LockSupport.unpark(this);
        } else if (onBell && !isLeading()) {
            completion.bell().kick(); // displaced while it fell asleep: back to looking around
        }
    }

    boolean isLeading() {
        return completion.leader().get() == this;
    }

    /** Takes leadership away, so that results ring nobody while a caller helps. */
    void displace() {
        if (completion.leader().compareAndSet(this, null)) {
            BellSleeper bell = completion.bell();
            bell.disarm();
            bell.kick();
        }
    }

    @Override
    public void run() {
        Dispatcher calls = completion.dispatcher();
        long nap = SHORTEST_NAP_NANOS;
        long seen = -1;
        int quietNaps = 0;
        while (!closed) {
            beat(calls.queued());
            if (calls.isQuiet()) {
                if (quietNaps++ < QUIET_NAPS_BEFORE_IDLE) {
                    LockSupport.parkNanos(this, nap);
                    nap = Math.min(nap * 2, LONGEST_NAP_NANOS);
                    continue;
                }
                nextBeatNanos = System.nanoTime(); // the last one: nothing waits
                beat(calls.queued());
                idle = true; // volatile: store idle -> look again; partner: submit -> look at idle
                if (calls.isQuiet() && !closed) {
                    LockSupport.park(this);
                }
                idle = false;
                nap = SHORTEST_NAP_NANOS;
                seen = -1;
                quietNaps = 0;
                LockSupport.parkNanos(this, nap);
                continue;
            }
            quietNaps = 0;
            long settled = calls.settledCount();
            if (settled != seen || completion.leader().get() != null) {
                seen = settled; // somebody makes progress, or leads
                LockSupport.parkNanos(this, nap);
                nap = Math.min(nap * 2, LONGEST_NAP_NANOS);
            } else if (completion.leader().compareAndSet(null, this)) {
                lead();
                completion.handOn();
                nap = SHORTEST_NAP_NANOS;
            }
        }
    }

    /** Tells tools now and then how it stands. */
    private void beat(int queued) {
        long now = System.nanoTime();
        if (now - nextBeatNanos >= 0) {
            nextBeatNanos = now + BEAT_NANOS;
            completion.beat(queued);
        }
    }

    private void lead() {
        while (!closed && isLeading()) {
            beat(completion.dispatcher().queued());
            BellSleeper bell = completion.bell();
            long most = completion.mostSleepNanos();
            bell.arm();
            completion.fenceAfterArming();
            if (!completion.drainOnce(null) && isLeading() && !closed) {
                onBell = true;
                bell.sleep(most);
                onBell = false;
            }
        }
        // Displaced: the bell belongs to somebody else now and must not be touched. Closed: nobody rings any more.
        completion.leader().compareAndSet(this, null);
    }

    void close() {
        closed = true;
        LockSupport.unpark(this);
        completion.bell().kick();
        boolean interrupted = false;
        while (isAlive()) {
            try {
                join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

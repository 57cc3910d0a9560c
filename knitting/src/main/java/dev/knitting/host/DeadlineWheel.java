package dev.knitting.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of one pool: a hierarchical timing wheel, and a thread that exists only while there are deadlines (and a
 * second longer).
 *
 * <p>Six levels of 64 buckets; a tick is about a millisecond, so level 0 covers 67 ms, level 1 4.3 s, level 2 4.6 min. A
 * deadline lies in the level that covers its distance and moves down as its time comes near. Setting and cancelling are a
 * few stores under one lock, whatever the number of deadlines: nearly every deadline is cancelled, because its call
 * settles, and a heap would pay for its order each time. A deadline is never early, and late by a tick and the thread's
 * wake-up at most.
 *
 * <p>Handlers run on the wheel's thread, one after the other, without its lock: they must not block and must not run user
 * code.
 */
@SuppressWarnings("ReferenceEquality") // links of lists: the same object is meant
final class DeadlineWheel implements AutoCloseable {
    private static final int TICK_SHIFT = 20;
    private static final int LEVELS = 6;
    private static final int BUCKET_BITS = 6;
    private static final int BUCKETS = 1 << BUCKET_BITS;
    private static final int BUCKET_MASK = BUCKETS - 1;
    private static final long FARTHEST_TICKS = 1L << (LEVELS * BUCKET_BITS);
    private static final long IDLE_NANOS = 1_000_000_000L;

    /** One deadline; may be set again and again. Its links are guarded by the wheel. */
    abstract static class Deadline {
        private long tick;
        private @Nullable Deadline previous;
        private @Nullable Deadline next;
        private int bucket;

        /** The time has come. May still be called a moment after {@link DeadlineWheel#cancel}. */
        abstract void expired(long nowNanos);
    }

    private static final class Head extends Deadline {
        Head() {
            super.previous = this;
            super.next = this;
        }

        @Override
        void expired(long nowNanos) {
            throw new IllegalStateException("the head of a bucket has no deadline");
        }
    }

    private final String poolName;
    private final long originNanos = System.nanoTime();
    private Head @Nullable [] buckets;
    /** For each level which buckets hold anything. */
    private final long[] occupied = new long[LEVELS];
    /** All deadlines up to this tick have expired. */
    private long clock;
    /** When the thread wakes by itself. */
    private long wakeTick = Long.MAX_VALUE;

    private int size;
    private boolean closed;
    private @Nullable Thread thread;

    DeadlineWheel(String poolName) {
        this.poolName = poolName;
    }

    /** Sets a deadline, instead of any other time it had. Any thread; a time that is past expires at once. */
    void set(Deadline deadline, long atNanos) {
        Thread wake = null;
        synchronized (this) {
            unlink(deadline);
            if (closed) {
                return;
            }
            if (size == 0) {
                clock = Math.max(clock, tickOf(System.nanoTime())); // nothing to expire: catch up in one step
            }
            long wanted = tickOf(atNanos + (1L << TICK_SHIFT) - 1);
            deadline.tick = Math.clamp(wanted, clock + 1, clock + FARTHEST_TICKS - 1);
            link(deadline);
            if (thread == null) {
                startThread();
            } else if (deadline.tick < wakeTick) {
                wake = thread;
            }
        }
        if (wake != null) {
            LockSupport.unpark(wake);
        }
    }

    /** Takes a deadline back, if it is set. Any thread. */
    synchronized void cancel(Deadline deadline) {
        unlink(deadline);
    }

    /** How many deadlines are set. */
    synchronized int size() {
        return size;
    }

    /** Whether the thread exists. */
    synchronized boolean isRunning() {
        return thread != null;
    }

    private long tickOf(long nanos) {
        return (nanos - originNanos) >> TICK_SHIFT;
    }

    // ---- buckets; under the lock

    private void link(Deadline deadline) {
        Head[] all = buckets;
        if (all == null) {
            all = new Head[LEVELS * BUCKETS];
            for (int i = 0; i < all.length; i++) {
                all[i] = new Head();
            }
            buckets = all;
        }
        long distance = Math.max(deadline.tick - clock, 1);
        int level = (63 - Long.numberOfLeadingZeros(distance)) / BUCKET_BITS;
        int index = (int) (deadline.tick >> (level * BUCKET_BITS)) & BUCKET_MASK;
        deadline.bucket = level * BUCKETS + index;
        Deadline head = all[deadline.bucket];
        Deadline last = head.previous;
        deadline.previous = last;
        deadline.next = head;
        java.util.Objects.requireNonNull(last).next = deadline;
        head.previous = deadline;
        occupied[level] |= 1L << index;
        size++;
    }

    private void unlink(Deadline deadline) {
        Deadline before = deadline.previous;
        Deadline after = deadline.next;
        if (before == null || after == null) {
            return;
        }
        before.next = after;
        after.previous = before;
        deadline.previous = null;
        deadline.next = null;
        if (before == after) { // only the head is left
            occupied[deadline.bucket / BUCKETS] &= ~(1L << (deadline.bucket & BUCKET_MASK));
        }
        size--;
    }

    /** Moves the clock on and takes out what is due. */
    private List<Deadline> advance(long now) {
        long before = clock;
        if (now <= before) {
            return List.of();
        }
        clock = now;
        List<Deadline> due = List.of();
        for (int level = 0; level < LEVELS; level++) {
            long from = before >> (level * BUCKET_BITS);
            long to = now >> (level * BUCKET_BITS);
            if (from == to) {
                break;
            }
            long steps = Math.min(to - from, BUCKETS);
            for (long step = 1; step <= steps; step++) {
                due = empty(level, (int) (from + step) & BUCKET_MASK, due);
            }
        }
        return due;
    }

    /** Takes a bucket apart: what is due is added to the list, the rest moves down. */
    private List<Deadline> empty(int level, int index, List<Deadline> due) {
        if ((occupied[level] & (1L << index)) == 0) {
            return due;
        }
        List<Deadline> all = due.isEmpty() ? new ArrayList<>() : due;
        Deadline head = java.util.Objects.requireNonNull(buckets)[level * BUCKETS + index];
        Deadline each;
        while ((each = java.util.Objects.requireNonNull(head.next)) != head) {
            unlink(each);
            if (each.tick <= clock) {
                all.add(each);
            } else {
                link(each); // its bucket is of a lower level: this loop ends
            }
        }
        return all;
    }

    /** The tick at which the next bucket that holds anything is to be looked at. */
    private long nextTick() {
        long least = Long.MAX_VALUE;
        for (int level = 0; level < LEVELS; level++) {
            if (occupied[level] == 0) {
                continue;
            }
            long here = clock >> (level * BUCKET_BITS);
            int start = (int) (here + 1) & BUCKET_MASK;
            int steps = 1 + Long.numberOfTrailingZeros(Long.rotateRight(occupied[level], start));
            least = Math.min(least, (here + steps) << (level * BUCKET_BITS));
        }
        return least;
    }

    // ---- the thread

    private void startThread() {
        Thread started = new Thread(null, this::run, "knitting-deadlines-" + poolName);
        started.setDaemon(true);
        wakeTick = Long.MIN_VALUE; // it looks by itself first
        started.start();
        thread = started; // not before: a start that fails must be tried again
    }

    private void run() {
        boolean idle = false;
        while (true) {
            long now = System.nanoTime();
            List<Deadline> due;
            long wait;
            synchronized (this) {
                due = advance(tickOf(now));
                if (closed || (due.isEmpty() && size == 0 && idle)) {
                    thread = null;
                    return;
                }
                idle = size == 0;
                wakeTick = nextTick();
                wait = idle ? IDLE_NANOS : (wakeTick << TICK_SHIFT) + originNanos - now;
            }
            if (due.isEmpty()) {
                LockSupport.parkNanos(this, wait);
            } else {
                due.forEach(deadline -> expire(deadline, now));
            }
        }
    }

    private static void expire(Deadline due, long now) {
        try {
            due.expired(now);
        } catch (RuntimeException | Error e) {
            // The other deadlines must not suffer; what failed is at least told.
            System.getLogger("dev.knitting").log(System.Logger.Level.ERROR, "a deadline's handler failed", e);
        }
    }

    /** Forgets all deadlines and ends the thread, which may be the caller. Later ones are ignored. */
    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            closed = true;
            ending = thread;
        }
        if (ending == null) {
            return;
        }
        LockSupport.unpark(ending);
        if (ending == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        while (true) {
            try {
                ending.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

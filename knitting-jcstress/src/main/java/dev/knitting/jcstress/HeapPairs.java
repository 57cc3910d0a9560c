package dev.knitting.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.knitting.mailbox.BellFence;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Pairs of "store mine, then load yours" among words of one heap. The classes that hold them (Completion, HostCall,
 * Watcher, Dispatcher, AbortControl) need a pool around them; so these are shapes: the same words with the same modes and
 * fences, in the same order.
 */
public final class HeapPairs {
    private HeapPairs() {}

    /** Two words that are stored with release. */
    abstract static class Words {
        final AtomicInteger mine = new AtomicInteger();
        final AtomicInteger yours = new AtomicInteger();
    }

    /** A leader, and a word of who waits. */
    abstract static class Leading {
        final AtomicReference<Object> leader = new AtomicReference<>(this);
        final AtomicInteger waiter = new AtomicInteger();
    }

    /** Pair 3: a waiter registers, then tries to lead; a leader leaves, then looks for waiters. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "nobody leads, and a waiter sleeps")
    @State
    public static class Pair03 extends Leading {
        @Actor
        public void waiter(II_Result r) {
            waiter.lazySet(1);
            VarHandle.fullFence();
            r.r1 = leader.compareAndSet(null, r) ? 1 : 0;
        }

        @Actor
        public void leader(II_Result r) {
            leader.set(null);
            VarHandle.fullFence();
            r.r2 = waiter.get();
        }
    }

    /** Pair 3 with a leader that leaves with release and does not fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "nobody leads, and a waiter sleeps")
    @State
    public static class Pair03Twin extends Leading {
        @Actor
        public void waiter(II_Result r) {
            waiter.lazySet(1);
            VarHandle.fullFence();
            r.r1 = leader.compareAndSet(null, r) ? 1 : 0;
        }

        @Actor
        public void leader(II_Result r) {
            leader.lazySet(null);
            r.r2 = waiter.get();
        }
    }

    /** Pair 4: the outcome arrives, then who waits; who waits is stored, then the outcome is looked for. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a waiter sleeps although its outcome is there")
    @State
    public static class Pair04 extends Words {
        @Actor
        public void deliver(II_Result r) {
            mine.lazySet(1);
            VarHandle.fullFence();
            r.r1 = yours.get();
        }

        @Actor
        public void park(II_Result r) {
            yours.set(1);
            VarHandle.fullFence();
            r.r2 = mine.get();
        }
    }

    /** Pair 4 without the first fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a waiter sleeps although its outcome is there")
    @State
    public static class Pair04Twin extends Words {
        @Actor
        public void deliver(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void park(II_Result r) {
            yours.set(1);
            VarHandle.fullFence();
            r.r2 = mine.get();
        }
    }

    /** Pair 5: idle, then whether anything is open; a ticket, then whether the watcher is idle. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "an open call that nobody watches")
    @State
    public static class Pair05 extends Words {
        @Actor
        public void watcher(II_Result r) {
            mine.set(1);
            r.r1 = yours.get();
        }

        @Actor
        public void submitter(II_Result r) {
            yours.compareAndSet(0, 1);
            r.r2 = mine.get();
        }
    }

    /** Pair 5 without the volatile store. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "an open call that nobody watches")
    @State
    public static class Pair05Twin extends Words {
        @Actor
        public void watcher(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void submitter(II_Result r) {
            yours.compareAndSet(0, 1);
            r.r2 = mine.get();
        }
    }

    /** A drain lock, a queue and a place that becomes free. */
    abstract static class Queue {
        final AtomicBoolean draining = new AtomicBoolean();
        final AtomicInteger queued = new AtomicInteger();
        int free;

        void lock() {
            while (!draining.compareAndSet(false, true)) {
                Thread.onSpinWait();
            }
        }

        void unlock() {
            draining.lazySet(false);
        }
    }

    /** Pair 6: queue the call, then look at each lane under its lock; drain under the lock, then look at the queue. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a call that stays in the queue beside a free lane")
    @State
    public static class Pair06 extends Queue {
        @Actor
        public void submitter(II_Result r) {
            queued.lazySet(1);
            lock();
            r.r1 = free;
            unlock();
        }

        @Actor
        public void drainer(II_Result r) {
            lock();
            free = 1;
            unlock();
            r.r2 = queued.get();
        }
    }

    /** Pair 6 with a submitter that looks without the lock. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a call that stays in the queue beside a free lane")
    @State
    public static class Pair06Twin extends Queue {
        @Actor
        public void submitter(II_Result r) {
            queued.lazySet(1);
            r.r1 = free;
        }

        @Actor
        public void drainer(II_Result r) {
            lock();
            free = 1;
            unlock();
            r.r2 = queued.get();
        }
    }

    /** Pair 7: enter: running, then requests; deliver: the abort, then who runs. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "an abort that neither skips nor reaches the call")
    @State
    public static class Pair07 extends Words {
        @Actor
        public void loop(II_Result r) {
            mine.lazySet(1);
            BellFence.publisher(false);
            r.r1 = yours.get();
        }

        @Actor
        public void deliverer(II_Result r) {
            yours.lazySet(1);
            BellFence.sleeper(false);
            r.r2 = mine.get();
        }
    }

    /** Pair 7 without the first fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "an abort that neither skips nor reaches the call")
    @State
    public static class Pair07Twin extends Words {
        @Actor
        public void loop(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void deliverer(II_Result r) {
            yours.lazySet(1);
            BellFence.sleeper(false);
            r.r2 = mine.get();
        }
    }

    /** Pair 8: leave: nobody runs, then whether somebody delivers; deliver: delivering, then who runs. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "an interrupt that meets the next call")
    @State
    public static class Pair08 extends Words {
        @Actor
        public void loop(II_Result r) {
            mine.lazySet(1);
            BellFence.publisher(false);
            r.r1 = yours.get();
        }

        @Actor
        public void deliverer(II_Result r) {
            yours.set(1);
            BellFence.sleeper(false);
            r.r2 = mine.get();
        }
    }

    /** Pair 8 without the first fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "an interrupt that meets the next call")
    @State
    public static class Pair08Twin extends Words {
        @Actor
        public void loop(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void deliverer(II_Result r) {
            yours.set(1);
            BellFence.sleeper(false);
            r.r2 = mine.get();
        }
    }

    /** Pair 10: what is wanted, then where the call is; where it is, then what is wanted. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a call that runs although it was cancelled")
    @State
    public static class Pair10 extends Words {
        @Actor
        public void wanting(II_Result r) {
            mine.getAndUpdate(bits -> bits | 1);
            r.r1 = yours.get();
        }

        @Actor
        public void placing(II_Result r) {
            yours.lazySet(1);
            VarHandle.fullFence();
            r.r2 = mine.get();
        }
    }

    /** Pair 10 without the atomic operation. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a call that runs although it was cancelled")
    @State
    public static class Pair10Twin extends Words {
        @Actor
        public void wanting(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void placing(II_Result r) {
            yours.lazySet(1);
            VarHandle.fullFence();
            r.r2 = mine.get();
        }
    }

    /** Pair 11: extras, then whether the outcome has arrived; the outcome, then the extras. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a listener that never hears of the end")
    @State
    public static class Pair11 extends Words {
        @Actor
        public void asking(II_Result r) {
            mine.compareAndSet(0, 1);
            VarHandle.fullFence();
            r.r1 = yours.get();
        }

        @Actor
        public void arriving(II_Result r) {
            yours.compareAndSet(0, 1);
            r.r2 = mine.get();
        }
    }

    /** Pair 11 without the compare-and-set and the fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a listener that never hears of the end")
    @State
    public static class Pair11Twin extends Words {
        @Actor
        public void asking(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void arriving(II_Result r) {
            yours.compareAndSet(0, 1);
            r.r2 = mine.get();
        }
    }

    /** Pair 12: pending, then whether busy; no longer busy, then whether pending. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "progress that stays pending")
    @State
    public static class Pair12 extends Words {
        @Actor
        public void progress(II_Result r) {
            mine.set(1);
            r.r1 = yours.get();
        }

        @Actor
        public void listener(II_Result r) {
            yours.set(1);
            r.r2 = mine.get();
        }
    }

    /** Pair 12 with a release in place of the volatile store. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "progress that stays pending")
    @State
    public static class Pair12Twin extends Words {
        @Actor
        public void progress(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void listener(II_Result r) {
            yours.set(1);
            r.r2 = mine.get();
        }
    }

    /** Pair 16: lanes, then calls that are to stop; what is wanted, then lanes. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "an abort that does not reach a new lane")
    @State
    public static class Pair16 extends Words {
        @Actor
        public void replacing(II_Result r) {
            mine.set(1);
            VarHandle.fullFence();
            r.r1 = yours.get();
        }

        @Actor
        public void wanting(II_Result r) {
            yours.getAndUpdate(bits -> bits | 1);
            r.r2 = mine.get();
        }
    }

    /** Pair 16 without the volatile store and the fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "an abort that does not reach a new lane")
    @State
    public static class Pair16Twin extends Words {
        @Actor
        public void replacing(II_Result r) {
            mine.lazySet(1);
            r.r1 = yours.get();
        }

        @Actor
        public void wanting(II_Result r) {
            yours.getAndUpdate(bits -> bits | 1);
            r.r2 = mine.get();
        }
    }
}

package dev.knitting.host;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Edges of the host's heap: [written] by the library's {@link TicketCounter}; [arrived] and the drain lock as shapes of the
 * words of {@link HostCall} and {@link Lane}, with the same modes.
 */
public final class HostEdgeTests {
    private HostEdgeTests() {}

    /** A ticket that was taken, and a slot's word. */
    abstract static class Ticket {
        final TicketCounter counter = new TicketCounter(0, 4);
        int slot;

        Ticket() {
            counter.tryTake(0);
        }

        int look() {
            return !counter.isPublished(0) ? 0 : slot == 7 ? 1 : 2;
        }
    }

    /** [written]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[written] recovery takes a call that is being published")
    @State
    public static class Written extends Ticket {
        @Actor
        public void producer() {
            slot = 7;
            counter.published(0);
        }

        @Actor
        public void supervisor(I_Result r) {
            r.r1 = look();
        }
    }

    /** [written] before the slot is. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "recovery takes a call that is being published")
    @State
    public static class WrittenFirstTwin extends Ticket {
        @Actor
        public void producer() {
            counter.published(0);
            slot = 7;
        }

        @Actor
        public void supervisor(I_Result r) {
            r.r1 = look();
        }
    }

    /** A call whose outcome is to come. */
    abstract static class Outcomes {
        final AtomicInteger state = new AtomicInteger();
        int outcome;

        int look() {
            return state.getAcquire() == 0 ? 0 : outcome == 7 ? 1 : 2;
        }
    }

    /** [arrived], as a shape. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[arrived] half an outcome")
    @State
    public static class Arrived extends Outcomes {
        @Actor
        public void drainer() {
            outcome = 7;
            state.setRelease(1);
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = look();
        }
    }

    /** [arrived] before the outcome. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "half an outcome")
    @State
    public static class ArrivedFirstTwin extends Outcomes {
        @Actor
        public void drainer() {
            state.setRelease(1);
            outcome = 7;
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = look();
        }
    }

    /** One result, and a reader's position under the drain lock. */
    abstract static class Drained {
        final AtomicBoolean draining = new AtomicBoolean();
        int position;

        /** 1 if it took the result. */
        int takeOne() {
            if (position > 0) {
                return 0;
            }
            position++;
            return 1;
        }

        int drain() {
            while (!draining.compareAndSet(false, true)) {
                Thread.onSpinWait();
            }
            int taken = takeOne();
            draining.setRelease(false);
            return taken;
        }
    }

    /** The drain lock, as a shape. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE)
    @Outcome(expect = FORBIDDEN, desc = "two drainers take one result")
    @State
    public static class DrainLock extends Drained {
        @Actor
        public void one(II_Result r) {
            r.r1 = drain();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = drain();
        }
    }

    /** No lock. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "two drainers take one result")
    @State
    public static class DrainLockTwin extends Drained {
        @Actor
        public void one(II_Result r) {
            r.r1 = takeOne();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = takeOne();
        }
    }
}

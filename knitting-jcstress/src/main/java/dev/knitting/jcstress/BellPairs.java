package dev.knitting.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.knitting.doorbell.Bell;
import dev.knitting.doorbell.BellRinger;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.BellWord;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.memory.BufferWords;
import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Pairs of "store mine, then load yours" between a publisher and a sleeper or a stopper, with the library's words, bells and
 * fences. The fences are full on both sides here; that the asymmetric ones do the same takes two processes to show, and is
 * shown by {@code LitmusTest}.
 */
public final class BellPairs {
    private static final BellRinger SILENT = () -> {};

    private static final long WORKER_BELL = word("workerBell");
    private static final long CONTROL_BELL = word("controlBell");

    private BellPairs() {}

    private static long word(String name) {
        return LaneLayout.LAYOUT.byteOffset(PathElement.groupElement(name));
    }

    /** A mailbox in a lane, and the bell of its reader. */
    abstract static class Mailbox {
        final MemorySegment area = Areas.take();
        final ByteBuffer words = Areas.buffer(area);
        final LaneView lane = Areas.lane(area);
        final long bellOffset;
        final MailboxWriter writer;
        final MailboxReader reader;
        final Bell bell;

        Mailbox(long slots, long bellOffset) {
            this.bellOffset = bellOffset;
            BufferWords.setLongPlain(words, slots, 0);
            writer = new MailboxWriter(words, slots);
            reader = new MailboxReader(words, slots, 0);
            bell = new Bell(area, bellOffset, SILENT, false);
        }

        void publish() {
            writer.publishWord(0, 7, 0, 7);
        }

        /** 1 if it rang. */
        int fenceAndRing() {
            bell.fence();
            return bell.ringIfArmed() ? 1 : 0;
        }

        void arm() {
            BellWord.armVolatile(area, bellOffset);
            BellFence.sleeper(false);
        }

        /** Twin of {@link #arm}. */
        void armWithoutFence() {
            SharedWords.setIntRelease(area, bellOffset, BellWord.ARMED);
        }

        /** 1 if there is a message. */
        int look() {
            return reader.isEmpty() ? 0 : 1;
        }
    }

    /** Calls to a worker. */
    abstract static class Calls extends Mailbox {
        Calls() {
            super(LaneLayout.SUBMIT_OFFSET, WORKER_BELL);
        }
    }

    /** Results to the host; its bell lies where no word of a lane is. */
    abstract static class Results extends Mailbox {
        private static final long HOST_BELL = WORKER_BELL + 64;

        Results() {
            super(LaneLayout.RETURN_OFFSET, HOST_BELL);
            SharedWords.setIntPlain(area, HOST_BELL, BellWord.OFF);
        }
    }

    /** Pair 1: a call against the sleeper. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a lost wake-up")
    @State
    public static class Pair01 extends Calls {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = fenceAndRing();
        }

        @Actor
        public void sleeper(II_Result r) {
            arm();
            r.r2 = look();
        }
    }

    /** Pair 1 without the publisher's fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a lost wake-up")
    @State
    public static class Pair01PublisherTwin extends Calls {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = bell.ringIfArmed() ? 1 : 0;
        }

        @Actor
        public void sleeper(II_Result r) {
            arm();
            r.r2 = look();
        }
    }

    /** Pair 1 without the sleeper's fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a lost wake-up")
    @State
    public static class Pair01SleeperTwin extends Calls {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = fenceAndRing();
        }

        @Actor
        public void sleeper(II_Result r) {
            armWithoutFence();
            r.r2 = look();
        }
    }

    /** Pair 2: a result against the sleeper. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a lost wake-up")
    @State
    public static class Pair02 extends Results {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = fenceAndRing();
        }

        @Actor
        public void sleeper(II_Result r) {
            arm();
            r.r2 = look();
        }
    }

    /** Pair 2 without the publisher's fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a lost wake-up")
    @State
    public static class Pair02PublisherTwin extends Results {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = bell.ringIfArmed() ? 1 : 0;
        }

        @Actor
        public void sleeper(II_Result r) {
            arm();
            r.r2 = look();
        }
    }

    /** Pair 2 without the sleeper's fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a lost wake-up")
    @State
    public static class Pair02SleeperTwin extends Results {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = fenceAndRing();
        }

        @Actor
        public void sleeper(II_Result r) {
            armWithoutFence();
            r.r2 = look();
        }
    }

    /** A lane of whose requests the worker sees whether there are any. */
    abstract static class Aborting extends Mailbox {
        Aborting() {
            super(LaneLayout.SUBMIT_OFFSET, CONTROL_BELL);
        }

        int requested() {
            return lane.hasAbortsAcquire() ? 1 : 0;
        }
    }

    /** Pair 9: an abort against the control thread that goes to sleep. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "an abort that nobody delivers")
    @State
    public static class Pair09 extends Aborting {
        @Actor
        public void host(II_Result r) {
            lane.abortsVolatile();
            r.r1 = fenceAndRing();
        }

        @Actor
        public void control(II_Result r) {
            arm();
            r.r2 = requested();
        }
    }

    /** Pair 9 without the control thread's fence. (The host's side is an atomic operation: a fence on x86-64 anyway.) */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "an abort that nobody delivers")
    @State
    public static class Pair09SleeperTwin extends Aborting {
        @Actor
        public void host(II_Result r) {
            lane.abortsVolatile();
            r.r1 = fenceAndRing();
        }

        @Actor
        public void control(II_Result r) {
            armWithoutFence();
            r.r2 = requested();
        }
    }

    /** A worker that publishes a result, and a host that wants to hold it. */
    abstract static class Held extends Results {
        int fenceAndAsk() {
            bell.fence();
            return ask();
        }

        int ask() {
            return lane.pauseAcquire() != 0 ? 1 : 0;
        }
    }

    /** Pair 13: a result, then the next look at requests, against HOLD, then the results. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "the host misses a result of a worker that has not seen HOLD")
    @State
    public static class Pair13 extends Held {
        @Actor
        public void worker(II_Result r) {
            publish();
            r.r1 = fenceAndAsk();
        }

        @Actor
        public void host(II_Result r) {
            lane.requestVolatile(LaneLayout.REQUEST_HOLD);
            r.r2 = look();
        }
    }

    /** Pair 13 without the worker's fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(
            id = "0, 0",
            expect = ACCEPTABLE_INTERESTING,
            desc = "the host misses a result of a worker that has not seen HOLD")
    @State
    public static class Pair13Twin extends Held {
        @Actor
        public void worker(II_Result r) {
            publish();
            r.r1 = ask();
        }

        @Actor
        public void host(II_Result r) {
            lane.requestVolatile(LaneLayout.REQUEST_HOLD);
            r.r2 = look();
        }
    }

    /** Three bells of which the last may be rung, and one mailbox. */
    abstract static class Shared extends Calls {
        static final int WORKERS = 3;
        final Bell[] bells = new Bell[WORKERS];

        Shared() {
            for (int worker = 0; worker < WORKERS; worker++) {
                SharedWords.setIntPlain(area, bellOffset + 8L * worker, BellWord.OFF);
                bells[worker] = new Bell(area, bellOffset + 8L * worker, SILENT, false);
            }
        }

        int ringAny() {
            int rung = 0;
            for (Bell other : bells) {
                rung |= other.ringIfArmed() ? 1 : 0;
            }
            return rung;
        }

        void armLast() {
            BellWord.armVolatile(area, bellOffset + 8L * (WORKERS - 1));
            BellFence.sleeper(false);
        }
    }

    /** Pair 15: a call against the bells of all workers. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a call that no worker looks for")
    @State
    public static class Pair15 extends Shared {
        @Actor
        public void publisher(II_Result r) {
            publish();
            bell.fence();
            r.r1 = ringAny();
        }

        @Actor
        public void sleeper(II_Result r) {
            armLast();
            r.r2 = look();
        }
    }

    /** Pair 15 without the publisher's fence. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "a call that no worker looks for")
    @State
    public static class Pair15Twin extends Shared {
        @Actor
        public void publisher(II_Result r) {
            publish();
            r.r1 = ringAny();
        }

        @Actor
        public void sleeper(II_Result r) {
            armLast();
            r.r2 = look();
        }
    }
}

package dev.knitting.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.knitting.codec.PayloadSpan;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.memory.BufferWords;
import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Edges of mailboxes, positions and spans: release on one side, acquire on the other. */
public final class EdgeTests {
    /** Nothing seen yet. */
    static final int NOTHING = 0;
    /** Seen whole. */
    static final int WHOLE = 1;
    /** Seen, but not what belongs to it. */
    static final int TORN = 2;

    private static final long SEQUENCE = word("sequence");
    private static final long WORD0 = word("word0");
    private static final long SUBMIT = LaneLayout.SUBMIT_OFFSET;

    private EdgeTests() {}

    private static long word(String name) {
        return SlotLayout.LAYOUT.byteOffset(PathElement.groupElement(name));
    }

    /** A lane whose first submit slot is empty. */
    abstract static class Lane {
        final MemorySegment area = Areas.take();
        final ByteBuffer words = Areas.buffer(area);
        final LaneView lane = Areas.lane(area);
        final MailboxWriter writer;
        final MailboxReader reader;

        Lane() {
            BufferWords.setLongPlain(words, SUBMIT + SEQUENCE, 0);
            BufferWords.setLongPlain(words, SUBMIT + WORD0, 0);
            writer = new MailboxWriter(words, SUBMIT);
            reader = new MailboxReader(words, SUBMIT, 0);
        }

        int look() {
            if (reader.isEmpty()) {
                return NOTHING;
            }
            long slot = reader.slot();
            return reader.wordPlain(slot, 0) == 7 && reader.callIdPlain(slot) == 7 ? WHOLE : TORN;
        }
    }

    /** [published]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[published] a torn or old message")
    @State
    public static class Published extends Lane {
        public Published() {
            BufferWords.setLongPlain(words, SUBMIT + word("callId"), 0);
        }

        @Actor
        public void producer() {
            writer.publishWord(0, 7, 0, 7);
        }

        @Actor
        public void consumer(I_Result r) {
            r.r1 = look();
        }
    }

    /** [published] with the sequence stored before the word. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "torn")
    @State
    public static class PublishedSequenceFirstTwin extends Lane {
        public PublishedSequenceFirstTwin() {
            BufferWords.setLongPlain(words, SUBMIT + word("callId"), 7);
            BufferWords.setLongPlain(words, LaneLayout.RETURN_OFFSET, 0);
        }

        @Actor
        public void producer() {
            BufferWords.setLongRelease(words, SUBMIT + SEQUENCE, 1);
            BufferWords.setLongRelease(words, LaneLayout.RETURN_OFFSET, 1); // another line: its store takes time
            BufferWords.setLongRelease(words, SUBMIT + WORD0, 7);
        }

        @Actor
        public void consumer(I_Result r) {
            r.r1 = look();
        }
    }

    /** [published] with a plain sequence. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(
            id = "2",
            expect = ACCEPTABLE_INTERESTING,
            desc = "torn: not on x86-64, unless the compiler swaps the stores")
    @State
    public static class PublishedPlainTwin extends Lane {
        public PublishedPlainTwin() {
            BufferWords.setLongPlain(words, SUBMIT + word("callId"), 7);
        }

        @Actor
        public void producer() {
            BufferWords.setLongPlain(words, SUBMIT + WORD0, 7);
            BufferWords.setLongPlain(words, SUBMIT + SEQUENCE, 1);
        }

        @Actor
        public void consumer(I_Result r) {
            boolean there = BufferWords.getLongPlain(words, SUBMIT + SEQUENCE) == 1;
            r.r1 = !there ? NOTHING : BufferWords.getLongPlain(words, SUBMIT + WORD0) == 7 ? WHOLE : TORN;
        }
    }

    /** A message lies in the first slot: the consumer reads it, the producer waits to overwrite it. */
    abstract static class Reused extends Lane {
        Reused() {
            writer.publishWord(0, 7, 0, 7);
        }

        int take() {
            return reader.wordPlain(reader.slot(), 0) == 7 ? WHOLE : TORN;
        }

        void overwrite() {
            writer.publishWord(SlotLayout.SLOTS, 8, 0, 8);
        }
    }

    /** [retired]. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[retired] overwritten while it is read")
    @State
    public static class Retired extends Reused {
        @Actor
        public void worker(I_Result r) {
            r.r1 = take();
            lane.retiredRelease(1);
        }

        @Actor
        public void producer() {
            if (lane.retiredAcquire() == 1) {
                overwrite();
            }
        }
    }

    /** [retired] before the slot is read. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "overwritten while it is read")
    @State
    public static class RetiredFirstTwin extends Reused {
        @Actor
        public void worker(I_Result r) {
            lane.retiredRelease(1);
            Window.open();
            r.r1 = take();
        }

        @Actor
        public void producer() {
            if (lane.retiredAcquire() == 1) {
                overwrite();
            }
        }
    }

    /** [returned]. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[returned] overwritten while it is read")
    @State
    public static class Returned extends Reused {
        @Actor
        public void drainer(I_Result r) {
            r.r1 = take();
            lane.returnedRelease(1);
        }

        @Actor
        public void worker() {
            if (lane.returnedAcquire() == 1) {
                overwrite();
            }
        }
    }

    /** [returned] before the slot is read. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "overwritten while it is read")
    @State
    public static class ReturnedFirstTwin extends Reused {
        @Actor
        public void drainer(I_Result r) {
            lane.returnedRelease(1);
            Window.open();
            r.r1 = take();
        }

        @Actor
        public void worker() {
            if (lane.returnedAcquire() == 1) {
                overwrite();
            }
        }
    }

    /** A span in use, with a body of one word. */
    abstract static class Span {
        static final long BODY = 64;
        final MemorySegment area = Areas.take();

        Span() {
            SharedWords.setLongPlain(area, 0, 1);
            SharedWords.setLongPlain(area, BODY, 7);
        }
    }

    /** [released]. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[released] overwritten while it is decoded")
    @State
    public static class Released extends Span {
        @Actor
        public void host(I_Result r) {
            r.r1 = SharedWords.getLongPlain(area, BODY) == 7 ? WHOLE : TORN;
            PayloadSpan.release(area, 0);
        }

        @Actor
        public void worker() {
            if (PayloadSpan.isReleased(area, 0)) {
                SharedWords.setLongPlain(area, BODY, 8);
            }
        }
    }

    /** [released] before the body is read. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "overwritten while it is decoded")
    @State
    public static class ReleasedFirstTwin extends Span {
        @Actor
        public void host(I_Result r) {
            PayloadSpan.release(area, 0);
            Window.open();
            r.r1 = SharedWords.getLongPlain(area, BODY) == 7 ? WHOLE : TORN;
        }

        @Actor
        public void worker() {
            if (PayloadSpan.isReleased(area, 0)) {
                SharedWords.setLongPlain(area, BODY, 8);
            }
        }
    }
}

package dev.knitting.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.knitting.mailbox.AbortLayout;
import dev.knitting.mailbox.AbortView;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.BufferWords;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Edges of a lane's control words and abort records. */
public final class ControlTests {
    private static final long WHAT = abort("what");
    private static final long LENGTH = abort("length");
    private static final long REASON = abort("reason");
    private static final byte[] WHY = "why".getBytes(StandardCharsets.UTF_8);

    private ControlTests() {}

    private static long abort(String word) {
        return AbortLayout.LAYOUT.byteOffset(PathElement.groupElement(word));
    }

    /** A fresh lane. */
    abstract static class Lane {
        final MemorySegment area = Areas.take();
        final ByteBuffer words = Areas.buffer(area);
        final LaneView lane = Areas.lane(area);
    }

    /** A lane in which no start has failed yet. */
    abstract static class Starting extends Lane {
        Starting() {
            lane.errorPlain(0, "");
        }

        int look() {
            if (lane.stateAcquire() != WorkerState.FAILED) {
                return EdgeTests.NOTHING;
            }
            return lane.errorCodePlain() == 7 && lane.errorTextPlain().equals("why") ? EdgeTests.WHOLE : EdgeTests.TORN;
        }
    }

    /** [state]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[state] half an error")
    @State
    public static class StateEdge extends Starting {
        @Actor
        public void worker() {
            lane.errorPlain(7, "why");
            lane.stateRelease(WorkerState.FAILED);
        }

        @Actor
        public void host(I_Result r) {
            r.r1 = look();
        }
    }

    /** [state] before the error is written. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "half an error")
    @State
    public static class StateFirstTwin extends Starting {
        @Actor
        public void worker() {
            lane.stateRelease(WorkerState.FAILED);
            lane.errorPlain(7, "why");
        }

        @Actor
        public void host(I_Result r) {
            r.r1 = look();
        }
    }

    /** A lane whose worker does not ring yet. */
    abstract static class Silent extends Lane {
        final MailboxWriter writer;
        final MailboxReader reader;

        Silent() {
            BufferWords.setLongPlain(words, LaneLayout.RETURN_OFFSET, 0);
            writer = new MailboxWriter(words, LaneLayout.RETURN_OFFSET);
            reader = new MailboxReader(words, LaneLayout.RETURN_OFFSET, 0);
        }

        int look() {
            if (!lane.isRingingAcquire()) {
                return EdgeTests.NOTHING;
            }
            return reader.isEmpty() ? EdgeTests.TORN : EdgeTests.WHOLE;
        }
    }

    /** [ringing]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[ringing] a result that came without a ring is not seen")
    @State
    public static class Ringing extends Silent {
        @Actor
        public void worker() {
            writer.publishWord(0, 7, 0, 7);
            lane.ringingRelease();
        }

        @Actor
        public void host(I_Result r) {
            r.r1 = look();
        }
    }

    /** [ringing] before the result. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "a result that came without a ring is not seen")
    @State
    public static class RingingFirstTwin extends Silent {
        @Actor
        public void worker() {
            lane.ringingRelease();
            writer.publishWord(0, 7, 0, 7);
        }

        @Actor
        public void host(I_Result r) {
            r.r1 = look();
        }
    }

    /** A lane without aborts, whose call 0 is open. */
    abstract static class Open extends Lane {
        final AbortView aborts = new AbortView(words);

        Open() {
            BufferWords.setLongPlain(words, LaneLayout.ABORTS_OFFSET, 0);
            BufferWords.setLongPlain(words, LaneLayout.ABORTS_OFFSET + 8, 0);
        }

        void want() {
            aborts.requestRelease(0, AbortLayout.ABORT, "why");
        }

        int lookAtRecord() {
            if (aborts.whatAcquire(0) == 0) {
                return EdgeTests.NOTHING;
            }
            return aborts.reasonPlain(0).equals("why") ? EdgeTests.WHOLE : EdgeTests.TORN;
        }

        int lookAtRequests() {
            if (!lane.hasAbortsAcquire()) {
                return EdgeTests.NOTHING;
            }
            return aborts.whatAcquire(0) == AbortLayout.ABORT ? EdgeTests.WHOLE : EdgeTests.TORN;
        }
    }

    /** [requests]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[requests] an abort is overlooked")
    @State
    public static class Requests extends Open {
        @Actor
        public void host() {
            want();
            lane.abortsVolatile();
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = lookAtRequests();
        }
    }

    /** [requests] before the record. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "an abort is overlooked")
    @State
    public static class RequestsFirstTwin extends Open {
        @Actor
        public void host() {
            lane.abortsVolatile();
            want();
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = lookAtRequests();
        }
    }

    /** [aborted]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[aborted] half a reason")
    @State
    public static class Aborted extends Open {
        public Aborted() {
            BufferWords.setLongPlain(words, LaneLayout.ABORTS_OFFSET + 16, 0);
            BufferWords.setLongPlain(words, LaneLayout.ABORTS_OFFSET + 24, 0);
        }

        @Actor
        public void host() {
            want();
        }

        @Actor
        public void task(I_Result r) {
            r.r1 = lookAtRecord();
        }
    }

    /** [aborted] with the record's id stored before the reason. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "half a reason")
    @State
    public static class AbortedIdFirstTwin extends Open {
        public AbortedIdFirstTwin() {
            BufferWords.setLongPlain(words, LaneLayout.ABORTS_OFFSET + 16, 0);
            BufferWords.setLongPlain(words, LaneLayout.ABORTS_OFFSET + 24, 0);
        }

        @Actor
        public void host() {
            BufferWords.setIntRelease(words, LaneLayout.ABORTS_OFFSET + WHAT, AbortLayout.ABORT);
            BufferWords.setLongRelease(words, LaneLayout.ABORTS_OFFSET, 1);
            words.put((int) (LaneLayout.ABORTS_OFFSET + REASON), WHY);
            BufferWords.setIntRelease(words, LaneLayout.ABORTS_OFFSET + LENGTH, WHY.length);
        }

        @Actor
        public void task(I_Result r) {
            r.r1 = lookAtRecord();
        }
    }

    /** A lane whose worker has asked for a shared buffer. */
    abstract static class Asking extends Lane {
        Asking() {
            lane.grantRelease(0, 0, 0);
        }

        int look() {
            if (lane.grantNumberAcquire() == 0) {
                return EdgeTests.NOTHING;
            }
            return lane.grantStartPlain() == 7 && lane.grantIdPlain() == 7 ? EdgeTests.WHOLE : EdgeTests.TORN;
        }
    }

    /** [granted]. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = FORBIDDEN, desc = "[granted] a buffer that is somebody else's")
    @State
    public static class Granted extends Asking {
        @Actor
        public void host() {
            lane.grantRelease(1, 7, 7);
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = look();
        }
    }

    /** [granted] before the buffer's number and place. */
    @JCStressTest
    @Outcome(
            id = {"0", "1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2", expect = ACCEPTABLE_INTERESTING, desc = "a buffer that is somebody else's")
    @State
    public static class GrantedFirstTwin extends Asking {
        @Actor
        public void host() {
            lane.grantRelease(1, 0, 0);
            Window.open();
            lane.grantRelease(1, 7, 7);
        }

        @Actor
        public void worker(I_Result r) {
            r.r1 = look();
        }
    }
}

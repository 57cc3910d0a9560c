package dev.knitting.jcstress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.ClaimView;
import dev.knitting.mailbox.ClaimWord;
import dev.knitting.mailbox.DekkerReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.TicketReader;
import dev.knitting.memory.BufferWords;
import java.lang.foreign.MemoryLayout.PathElement;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Claims of a shared mailbox, by the library's readers: edge [claimed] and pair 14. */
public final class ClaimTests {
    private static final int WORKERS = 2;
    private static final long WANTS = want(0);
    private static final long WANT_STRIDE = want(1) - WANTS;

    private ClaimTests() {}

    private static long want(int worker) {
        return SharedMailboxLayout.LAYOUT.byteOffset(
                PathElement.groupElement("wants"), PathElement.sequenceElement(worker));
    }

    /** A shared mailbox with one call. */
    abstract static class OneCall {
        final ByteBuffer words = Areas.buffer(Areas.take().asSlice(0, SharedMailboxLayout.ARENA_OFFSET));
        final ClaimView claims = new ClaimView(words);
        final MailboxWriter writer = new MailboxWriter(words, SharedMailboxLayout.SLOTS_OFFSET);

        OneCall() {
            BufferWords.setLongPlain(words, 0, 0);
            for (int worker = 0; worker < WORKERS; worker++) {
                claims.liveVolatile(worker);
            }
            writer.publishWord(0, 7, 0, 7);
        }

        /** Words first, then the claim, as the worker's loop does; 0 if not claimed, 1 if whole, else torn. */
        static int claim(ClaimReader reader) {
            if (reader.isEmpty()) {
                return 0;
            }
            long word = reader.wordPlain(reader.slot(), 0);
            return !reader.tryClaim() ? 0 : word == 7 ? 1 : 2;
        }

        /** The producer: 1 if the slot was free, and is written again. */
        int useAgain() {
            if (!ClaimWord.isClaimed(claims.claimAcquire(0), 0)) {
                return 0;
            }
            writer.publishWord(SlotLayout.SLOTS, 8, 0, 8);
            return 1;
        }

        int store(int worker) {
            if (ClaimWord.isClaimed(claims.claimAcquire(0), 0)) {
                return 0;
            }
            BufferWords.setLongRelease(words, 0, ClaimWord.claimed(0, worker + 1));
            return 1;
        }
    }

    /** [claimed] under TICKET: two workers. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE)
    @Outcome(expect = FORBIDDEN, desc = "claimed twice, or by nobody, or with other words")
    @State
    public static class ClaimedTicket extends OneCall {
        private final TicketReader first = new TicketReader(words, 1);
        private final TicketReader second = new TicketReader(words, 2);

        @Actor
        public void first(II_Result r) {
            r.r1 = claim(first);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = claim(second);
        }
    }

    /** [claimed] under TICKET: a worker, and a producer that uses the slot again. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(expect = FORBIDDEN, desc = "[claimed] overwritten while it is read")
    @State
    public static class ClaimedSlot extends OneCall {
        private final TicketReader reader = new TicketReader(words, 1);

        @Actor
        public void worker(II_Result r) {
            r.r1 = claim(reader);
        }

        @Actor
        public void producer(II_Result r) {
            r.r2 = useAgain();
        }
    }

    /** TICKET by load and store. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "claimed twice")
    @State
    public static class ClaimedLoadAndStoreTwin extends OneCall {
        @Actor
        public void first(II_Result r) {
            r.r1 = store(0);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = store(1);
        }
    }

    /** [claimed]: the slot's words are read after the claim. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "2, 1", expect = ACCEPTABLE_INTERESTING, desc = "overwritten while it is read")
    @State
    public static class ClaimedWordsLastTwin extends OneCall {
        private final TicketReader reader = new TicketReader(words, 1);

        @Actor
        public void worker(II_Result r) {
            if (!reader.isEmpty() && claims.tryClaimVolatile(0, claims.claimAcquire(0), 1)) {
                Window.open();
                r.r1 = reader.wordPlain(reader.slot(), 0) == 7 ? 1 : 2;
            }
        }

        @Actor
        public void producer(II_Result r) {
            r.r2 = useAgain();
        }
    }

    /** Pair 14: both want the same region. The senior may give up after many looks, the junior at once. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the junior gave way, and the senior waited for it in vain")
    @Outcome(expect = FORBIDDEN, desc = "claimed twice")
    @State
    public static class Pair14 extends OneCall {
        private final DekkerReader first = new DekkerReader(words, 0, WORKERS);
        private final DekkerReader second = new DekkerReader(words, 1, WORKERS);

        @Actor
        public void senior(II_Result r) {
            r.r1 = claim(first);
        }

        @Actor
        public void junior(II_Result r) {
            r.r2 = claim(second);
        }
    }

    /** Pair 14 without the fence. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1", "0, 0"},
            expect = ACCEPTABLE)
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "claimed twice")
    @State
    public static class Pair14Twin extends OneCall {
        private int claimAlone(int worker) {
            BufferWords.setIntRelease(words, WANTS + worker * WANT_STRIDE, 1);
            boolean isAlone = BufferWords.getIntAcquire(words, WANTS + (1 - worker) * WANT_STRIDE) == 0;
            int claimed = isAlone ? store(worker) : 0;
            BufferWords.setIntRelease(words, WANTS + worker * WANT_STRIDE, 0);
            return claimed;
        }

        @Actor
        public void senior(II_Result r) {
            r.r1 = claimAlone(0);
        }

        @Actor
        public void junior(II_Result r) {
            r.r2 = claimAlone(1);
        }
    }
}

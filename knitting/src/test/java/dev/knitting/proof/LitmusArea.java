package dev.knitting.proof;

import dev.knitting.mailbox.ClaimView;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.memory.SharedSegment;
import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The memory of one litmus test between two processes: words by which they go from round to round, bells, and two
 * mailboxes, the one that the host writes with claim words. Each side has an object of its own over the same memory.
 */
final class LitmusArea {
    private static final long BELLS_OFFSET = 4096;
    private static final long SHARED_OFFSET = 8192;
    private static final long RETURN_OFFSET = SHARED_OFFSET + SharedMailboxLayout.ARENA_OFFSET;
    static final long BYTES = RETURN_OFFSET + SlotLayout.MAILBOX_BYTES;

    private static final long DONE_STRIDE = 256;
    private static final long BELL_STRIDE = 64;
    private static final int BELLS = 64;
    private static final long CLAIM_STRIDE = SharedMailboxLayout.LAYOUT
                    .select(PathElement.groupElement("claims"))
                    .byteSize()
            / SlotLayout.SLOTS;

    private static final long WANTS = want(0);
    private static final long WANT_STRIDE = want(1) - WANTS;

    final MemorySegment memory;
    /** Mailbox that the host writes, with claim words before it. */
    final ByteBuffer shared;
    /** Mailbox that the child writes. */
    final ByteBuffer returns;

    LitmusArea(SharedSegment segment) {
        this.memory = segment.memory();
        this.shared = segment.window(SHARED_OFFSET, (int) SharedMailboxLayout.ARENA_OFFSET);
        this.returns = segment.window(RETURN_OFFSET, (int) SlotLayout.MAILBOX_BYTES);
    }

    private static long want(int worker) {
        return SharedMailboxLayout.LAYOUT.byteOffset(
                PathElement.groupElement("wants"), PathElement.sequenceElement(worker));
    }

    /** Before the child exists. */
    void prepare() {
        ClaimView claims = new ClaimView(shared);
        claims.liveVolatile(0);
        claims.liveVolatile(1);
    }

    /** The bell of a round. Each has a line of its own, so that one can be disarmed long before it is used again. */
    static long bellOf(long round) {
        return BELLS_OFFSET + (round & BELLS - 1) * BELL_STRIDE;
    }

    /** The bell of a round that is far enough away from this one in both directions. */
    static long distantBell(long round) {
        return bellOf(round + BELLS / 2);
    }

    /** Where a ticket's claim word lies in {@link #shared}. */
    static long claimOffset(long ticket) {
        return (ticket & SlotLayout.SLOT_MASK) * CLAIM_STRIDE;
    }

    /** Where what a worker wants lies in {@link #shared}. */
    static long wantOffset(int worker) {
        return WANTS + worker * WANT_STRIDE;
    }

    /** A side has ended a round: what it saw, for the other one. */
    void done(int side, long round, long word) {
        SharedWords.setLongRelease(memory, doneOffset(side, round), word);
    }

    /** What a side said of this round, or of the one two before. */
    long doneOf(int side, long round) {
        return SharedWords.getLongAcquire(memory, doneOffset(side, round));
    }

    /** Two words, used in turn: a side may have ended the next round before the other has read what it said of this one. */
    private static long doneOffset(int side, long round) {
        return (side * 2 + (round & 1)) * DONE_STRIDE;
    }
}

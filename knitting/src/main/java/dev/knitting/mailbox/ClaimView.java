package dev.knitting.mailbox;

import dev.knitting.memory.BufferWords;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The claim words of a {@link SharedMailboxLayout}. Accessor names end in their memory order. Any thread of any side. */
public final class ClaimView {
    private final ByteBuffer words;

    /**
     * A view of the claim words.
     *
     * @param window the area up to its arena, {@link SharedMailboxLayout#ARENA_OFFSET} bytes
     * @throws IndexOutOfBoundsException if the window is shorter
     */
    public ClaimView(ByteBuffer window) {
        Objects.checkFromIndexSize(0, (int) SharedMailboxLayout.ARENA_OFFSET, window.capacity());
        this.words = window;
    }

    /** The claim word of a ticket's slot. */
    public long claimAcquire(long ticket) {
        // [claimed: acquire] of a slot that is free the words may be overwritten after this load
        return BufferWords.getLongAcquire(words, offsetOf(ticket));
    }

    /** Claims a ticket's call, if its claim word is still the one that was seen. */
    public boolean tryClaimVolatile(long ticket, long seen, int claimant) {
        // [claimed: release] the slot's words were read before this; a full fence, as every atomic operation
        return BufferWords.compareAndSetLongVolatile(
                words, offsetOf(ticket), seen, ClaimWord.claimed(ticket, claimant));
    }

    /** Stores a claim that nobody else can make now. */
    void claimRelease(long ticket, int claimant) {
        // [claimed: release] the slot's words were read before this
        BufferWords.setLongRelease(words, offsetOf(ticket), ClaimWord.claimed(ticket, claimant));
    }

    /** Says what a worker wants to claim from: a region's number plus 1, or 0. That worker only. */
    void wantRelease(int worker, int want) {
        BufferWords.setIntRelease(
                words, wantOffset(worker), want); // [claimed: release] a claim made before is stored before this
    }

    /** Whether a worker that lives wants this. */
    boolean isWantedAcquire(int worker, int want) {
        // [claimed: acquire] a claim made before the want was taken back is seen by loads after this one
        return BufferWords.getIntAcquire(words, wantOffset(worker)) == want
                && (BufferWords.getIntAcquire(words, SharedMailboxLayout.LIVE_OFFSET) & (1 << worker)) != 0;
    }

    /** A worker is about to start, or the host about to claim: wants nothing yet, and what it wants counts. Host only. */
    public void liveVolatile(int worker) {
        wantRelease(worker, 0);
        BufferWords.getAndOrIntVolatile(words, SharedMailboxLayout.LIVE_OFFSET, 1 << worker);
    }

    /** A worker has ended: what it wanted counts no more. Host only. */
    public void endedVolatile(int worker) {
        BufferWords.getAndAndIntVolatile(words, SharedMailboxLayout.LIVE_OFFSET, ~(1 << worker));
    }

    private static long wantOffset(int worker) {
        return SharedMailboxLayout.WANTS_OFFSET + worker * SharedMailboxLayout.WANT_STRIDE_BYTES;
    }

    private static long offsetOf(long ticket) {
        return SharedMailboxLayout.CLAIMS_OFFSET
                + (ticket & SlotLayout.SLOT_MASK) * SharedMailboxLayout.CLAIM_STRIDE_BYTES;
    }
}

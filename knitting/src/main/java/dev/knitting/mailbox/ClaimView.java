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

    private static long offsetOf(long ticket) {
        return SharedMailboxLayout.CLAIMS_OFFSET
                + (ticket & SlotLayout.SLOT_MASK) * SharedMailboxLayout.CLAIM_STRIDE_BYTES;
    }
}

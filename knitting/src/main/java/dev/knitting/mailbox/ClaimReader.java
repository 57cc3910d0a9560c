package dev.knitting.mailbox;

import java.nio.ByteBuffer;

/**
 * A worker's end of a submit mailbox that it shares with others, discipline TICKET: looks at the oldest call that nobody
 * has claimed, and claims it with one compare-and-set. One thread.
 *
 * <p>A call is claimed when its words have been read: from then on it counts as entered, and the slot is free. There is no
 * state between, so a worker that is stopped holds no slot, and what a dead one had claimed is known from the claim
 * words. Reading first is safe, since a slot is written again only after its call was claimed: a claim that succeeds
 * proves that the words were whole.
 *
 * <p>INV-1: claims are made in the order of tickets: a worker passes a call by only if it was claimed. So whatever comes
 * before a claimed call was claimed, and a worker that has slept for long finds its place by a few looks. INV-2: a call is
 * claimed once.
 */
public final class ClaimReader extends MailboxReader {
    /** Twice around, and some: more looks are only needed if somebody scribbles over the words. */
    private static final int MOST_LOOKS = 3 * SlotLayout.SLOTS;

    private final ClaimView claims;
    private final int claimant;

    /**
     * A reader of a shared mailbox.
     *
     * @param window the area up to its arena, {@link SharedMailboxLayout#ARENA_OFFSET} bytes
     * @param claimant the worker's number plus 1, or 0 for the host
     */
    public ClaimReader(ByteBuffer window, int claimant) {
        super(window, SharedMailboxLayout.SLOTS_OFFSET, 0);
        this.claims = new ClaimView(window);
        this.claimant = claimant;
    }

    /** Goes on to the oldest call that nobody has claimed; whether it is published. */
    private boolean seek() {
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            long at = position();
            long sequence = sequenceAt(at);
            if (sequence < at + 1) {
                return false;
            }
            if (sequence > at + 1) {
                goTo(Math.max(at + 1, sequence - SlotLayout.SLOTS)); // written again: the one before was claimed
            } else if (ClaimWord.isClaimed(claims.claimAcquire(at), at)) {
                goTo(at + 1);
            } else {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isEmpty() {
        return !seek();
    }

    @Override
    public int ready(int most) {
        return seek() ? super.ready(most) : 0;
    }

    /** Whether the call at hand is still to be claimed; a hint that saves reading it. */
    public boolean isOpen() {
        long at = position();
        return !ClaimWord.isClaimed(claims.claimAcquire(at), at);
    }

    /** Claims the call at hand, whose words were read, and goes on to the next; false if another worker has it. */
    public boolean tryClaim() {
        long at = position();
        long seen = claims.claimAcquire(at);
        advance();
        return !ClaimWord.isClaimed(seen, at) && claims.tryClaimVolatile(at, seen, claimant);
    }
}

package dev.knitting.mailbox;

import java.nio.ByteBuffer;

/**
 * A worker's end of a submit mailbox that it shares with others: looks at the oldest call that nobody has claimed, and
 * claims it, in a way that the discipline says. One thread.
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
public abstract sealed class ClaimReader extends MailboxReader permits TicketReader, DekkerReader {
    /** Twice around, and some: more looks are only needed if somebody scribbles over the words. */
    private static final int MOST_LOOKS = 3 * SlotLayout.SLOTS;

    final ClaimView claims;

    ClaimReader(ByteBuffer window) {
        super(window, SharedMailboxLayout.SLOTS_OFFSET, 0);
        this.claims = new ClaimView(window);
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

    /**
     * Claims the call at hand, whose words were read, and goes on to the next. False if another worker has it, or wants
     * it just now.
     */
    public abstract boolean tryClaim();
}

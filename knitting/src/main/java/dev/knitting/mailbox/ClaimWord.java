package dev.knitting.mailbox;

/**
 * The word that says who has claimed a slot's calls: the lap of the next call that may be claimed there, and who claimed
 * the one before. Ticket t lies in slot t mod 64, in lap t div 64. A claim moves the word from any lap up to t's to the
 * lap after it, together with the claimant, in one step; so it is made once, and names its owner from its first moment.
 *
 * <pre>
 *   bits 63..9: lap   bits 8..0: claimant, or 0 for nobody yet or the host
 * </pre>
 */
public final class ClaimWord {
    private static final int CLAIMANT_BITS = 9;
    private static final int CLAIMANT_MASK = (1 << CLAIMANT_BITS) - 1;
    private static final int LAP_SHIFT = 6;

    private ClaimWord() {}

    /** Whether the call of a ticket was claimed, as a claim word says. */
    public static boolean isClaimed(long word, long ticket) {
        return (word >>> CLAIMANT_BITS) > (ticket >>> LAP_SHIFT);
    }

    /** The word after a claim. */
    public static long claimed(long ticket, int claimant) {
        return ((ticket >>> LAP_SHIFT) + 1) << CLAIMANT_BITS | claimant;
    }

    /** Whether the last call that was claimed there is the one of this ticket, so that the claimant is its. */
    public static boolean isLast(long word, long ticket) {
        return (word >>> CLAIMANT_BITS) == (ticket >>> LAP_SHIFT) + 1;
    }

    /** Who claimed last: a worker's number plus 1, or 0. */
    public static int claimant(long word) {
        return (int) word & CLAIMANT_MASK;
    }
}

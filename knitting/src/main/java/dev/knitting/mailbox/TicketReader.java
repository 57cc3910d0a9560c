package dev.knitting.mailbox;

import java.nio.ByteBuffer;

/**
 * Discipline TICKET: a call is claimed with one compare-and-set on the claim word of its slot. Whoever fails knows that
 * another one has succeeded: a claimant that is stopped at any point keeps nobody waiting.
 */
public final class TicketReader extends ClaimReader {
    private final int claimant;

    /**
     * A reader of a shared mailbox.
     *
     * @param window the area up to its arena, {@link SharedMailboxLayout#ARENA_OFFSET} bytes
     * @param claimant the worker's number plus 1, or 0 for the host
     */
    public TicketReader(ByteBuffer window, int claimant) {
        super(window);
        this.claimant = claimant;
    }

    @Override
    public boolean tryClaim() {
        long at = position();
        long seen = claims.claimAcquire(at);
        advance(); // by this worker or by another one: it is claimed
        return !ClaimWord.isClaimed(seen, at) && claims.tryClaimVolatile(at, seen, claimant);
    }
}

package dev.knitting.host;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Hands out a lane's tickets to any number of threads, and knows which ones may still be written through.
 *
 * <p>INV-1: a ticket is handed out once. INV-2: none is handed out between {@link #close} and {@link #reopen}. INV-3: between {@link #tryTake}
 * and {@link #published} nothing throws, blocks or allocates.
 */
final class TicketCounter {
    private static final long CLOSED_BIT = Long.MIN_VALUE;

    private static final VarHandle NEXT;
    private static final VarHandle WRITTEN = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(TicketCounter.class, "next", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Ticket + 1 of the last message written through each index: recovery waits for stragglers by it. */
    private final long[] written;

    private final int mask;
    private volatile long next;

    /**
     * A counter.
     *
     * @param first ticket to hand out
     * @param open most tickets that are in use at a time, a power of two
     */
    TicketCounter(long first, int open) {
        this.written = new long[open];
        this.mask = open - 1;
        this.next = first;
    }

    /** The ticket to be handed out next, closed or not. */
    long next() {
        return next & ~CLOSED_BIT;
    }

    boolean isClosed() {
        return next < 0;
    }

    /**
     * Takes the ticket that was looked at, if it is still the next one and the counter is open.
     *
     * @param ticket as {@link #next} said
     */
    boolean tryTake(long ticket) {
        return NEXT.compareAndSet(this, ticket, ticket + 1);
    }

    /** The slot is no longer touched through this ticket. By the thread that took it. */
    void published(long ticket) {
        WRITTEN.setRelease(written, (int) ticket & mask, ticket + 1); // [written: release]
    }

    /** Whether the slot is no longer touched through this ticket, one of the last that were handed out. */
    boolean isPublished(long ticket) {
        return (long) WRITTEN.getAcquire(written, (int) ticket & mask) > ticket; // [written: acquire]
    }

    /** Waits until the slot is no longer touched through this ticket: a few instructions of another thread. */
    void awaitPublished(long ticket) {
        ShortWait.until(() -> isPublished(ticket));
    }

    /** Hands out no more tickets. */
    void close() {
        NEXT.getAndBitwiseOr(this, CLOSED_BIT);
    }

    /** Hands out tickets again, from where it was. */
    void reopen() {
        NEXT.getAndBitwiseAnd(this, ~CLOSED_BIT);
    }
}

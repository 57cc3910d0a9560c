package dev.knitting.host;

import dev.knitting.codec.ArenaAllocator;
import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadArena;
import dev.knitting.codec.PayloadTag;
import dev.knitting.codec.WordCodec;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a submit mailbox, and the table of the calls that went through it and are not answered. Any number of
 * threads. All bookkeeping is on the heap, where no worker reaches it.
 *
 * <p>Submitting: (1) encode, which may run user code; (2) take a span if the body does not fit the slot, copy; (3) claim
 * a ticket; (4) enter the call into the table; (5) fill and publish the slot; (6) mark the ticket as written; (7) ring.
 * Between 3 and 6 nothing allocates, locks or runs user code, but for a call that somebody has aborted already; if
 * something throws all the same, a void message is published.
 *
 * <p>INV-1: a call is in the table from its ticket until its result was taken or its worker's end was dealt with; whoever
 * removes it decides its fate.
 */
abstract class SubmitMailbox {
    /** What became of an offered call. */
    enum Offer {
        /** Published. */
        ACCEPTED,
        /** No room now: queue it. */
        FULL,
        /** The worker is gone: try another lane. */
        CLOSED,
        /** The call failed for a reason of its own and is settled. */
        SETTLED
    }

    /** Calls that can be open at once; a power of two, at least both mailboxes together. */
    static final int TABLE = 256;

    private static final int TABLE_MASK = TABLE - 1;
    private static final long FULL = -1;
    private static final long CLOSED = -2;

    private static final VarHandle SETTLED;
    private static final VarHandle VOIDED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SETTLED = lookup.findVarHandle(SubmitMailbox.class, "settled", long.class);
            VOIDED = lookup.findVarHandle(SubmitMailbox.class, "voided", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final TicketCounter tickets;
    private final MailboxWriter writer;
    private final PayloadArena arena;
    private final long arenaBytes;
    private final boolean byReference;
    private final long first;
    private final AtomicReferenceArray<@Nullable HostCall<?>> table = new AtomicReferenceArray<>(TABLE);

    @SuppressWarnings("unused") // counted by VarHandle
    private volatile int voided;

    /** Calls answered for the first time, by BEGUN or a result, plus start. */
    private volatile long settled;

    /**
     * A mailbox.
     *
     * @param first ticket to hand out
     * @param byReference whether arguments stay on the heap
     */
    SubmitMailbox(MailboxWriter writer, PayloadArena arena, long arenaBytes, long first, boolean byReference) {
        this.writer = writer;
        this.arena = arena;
        this.arenaBytes = arenaBytes;
        this.byReference = byReference;
        this.tickets = new TicketCounter(first, TABLE);
        this.first = first;
        this.settled = first;
    }

    /** The first ticket. */
    final long first() {
        return first;
    }

    // ---- what differs between a worker's own mailbox and one that several share

    /** Whether the slot of a ticket that may be taken next can be written. */
    abstract boolean isSlotFree(long ticket);

    /** Whether a ticket whose place in the table is taken was passed over, so that the next one may be tried. */
    abstract boolean tryPassOver(long ticket);

    /** The calling thread has taken a ticket; before its slot is written. */
    abstract void taken(long ticket);

    /** A void message is about to be published. */
    abstract void voiding(long ticket);

    /** A void message was published. */
    abstract void voided(long ticket);

    /** After a publication: wakes who has to be woken. */
    abstract void ring();

    // ---- load

    /** Calls handed over that were not answered; a hint to everybody but who takes answers. */
    final long outstanding() {
        return tickets.next() - settled - voided;
    }

    /** Answers taken so far; grows only. */
    final long settled() {
        return settled;
    }

    /** More calls were answered for the first time. One thread at a time. */
    final void addSettled(long calls) {
        SETTLED.setRelease(this, settled + calls);
    }

    /** As {@link #addSettled}; any thread. */
    final void addSettledAtomic(long calls) {
        SETTLED.getAndAdd(this, calls);
    }

    final boolean isOpen() {
        return !tickets.isClosed();
    }

    /** The ticket to be handed out next. */
    final long nextTicket() {
        return tickets.next();
    }

    /** Hands out no more tickets. */
    final void close() {
        tickets.close();
    }

    /** Hands out tickets again. */
    final void reopen() {
        tickets.reopen();
    }

    // ---- submitting

    /** Hands a call to a worker. Any thread. */
    final Offer offer(HostCall<?> call) {
        try {
            return encodeAndPublish(call);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            call.fail(e);
            return Offer.SETTLED;
        }
    }

    private Offer encodeAndPublish(HostCall<?> call) {
        if (byReference) {
            return publishReference(call);
        }
        byte tag = call.task.isTuple() ? WordCodec.NOT_A_WORD : WordCodec.tagOf(call.argument);
        if (tag != WordCodec.NOT_A_WORD) {
            return publishWord(call, tag, flagsOf(call), WordCodec.wordOf(call.argument));
        }
        Scratch scratch = Scratch.acquire();
        try {
            Payload payload = scratch.payload;
            payload.buffers = call;
            call.task.encode(call.argument, payload);
            return payload.bodyLength <= SlotLayout.INLINE_BYTES
                    ? publishSmall(call, payload)
                    : publishLarge(call, payload);
        } finally {
            scratch.release();
        }
    }

    private Offer publishReference(HostCall<?> call) {
        return publishWord(call, PayloadTag.REFERENCE, SlotMeta.FLAG_REFERENCE | flagsOf(call), 0);
    }

    private Offer publishWord(HostCall<?> call, byte tag, int flags, long word) {
        long ticket = claim(call);
        if (ticket < 0) {
            return ticket == FULL ? Offer.FULL : Offer.CLOSED;
        }
        long meta = SlotMeta.pack(call.task.id(), tag, flags, 0);
        if (Faults.ENABLED || call.isToStop() || call.hasDeadline) {
            return publish(call, ticket, meta, word, 0, 0, 0, null, 0, 0);
        }
        writer.publishWord(ticket, ticket, meta, word);
        tickets.published(ticket);
        ring();
        return Offer.ACCEPTED;
    }

    private Offer publishSmall(HostCall<?> call, Payload payload) {
        long ticket = claim(call);
        if (ticket < 0) {
            return ticket == FULL ? Offer.FULL : Offer.CLOSED;
        }
        int length = (int) payload.bodyLength;
        int flags = (length > 0 ? SlotMeta.FLAG_INLINE : 0) | flagsOf(call);
        long meta = SlotMeta.pack(call.task.id(), payload.tag, flags, length > 0 ? length : payload.headerLength);
        return publish(
                call,
                ticket,
                meta,
                payload.word0,
                payload.word1,
                payload.word2,
                payload.word3,
                length > 0 ? payload.body : null,
                payload.bodyOffset,
                length);
    }

    private Offer publishLarge(HostCall<?> call, Payload payload) {
        long span = arena.allocate(payload.bodyLength);
        if (span < 0) {
            if (PayloadArena.PREFIX_BYTES + payload.bodyLength <= (arenaBytes & -ArenaAllocator.ALIGNMENT_BYTES)) {
                return Offer.FULL; // somebody else's span, perhaps of a call that has no ticket yet, will be freed
            }
            throw Failures.arenaTooSmall(call.task, payload.bodyLength, arenaBytes);
        }
        arena.write(span, payload);
        call.span = span;
        long ticket = claim(call);
        if (ticket < 0) {
            call.span = -1;
            arena.free(span);
            return ticket == FULL ? Offer.FULL : Offer.CLOSED;
        }
        int flags = SlotMeta.FLAG_ARENA | flagsOf(call);
        long meta = SlotMeta.pack(call.task.id(), payload.tag, flags, 0);
        return publish(call, ticket, meta, span, payload.bodyLength, 0, 0, null, 0, 0);
    }

    private long claim(HostCall<?> call) {
        while (true) {
            if (tickets.isClosed()) {
                return CLOSED;
            }
            long ticket = tickets.next();
            if (!isSlotFree(ticket)) {
                return FULL;
            }
            if (table.getAcquire((int) ticket & TABLE_MASK) != null) { // a call from a lap ago has not ended
                if (tryPassOver(ticket)) {
                    continue;
                }
                return FULL;
            }
            if (tickets.tryTake(ticket)) {
                taken(ticket);
                call.ticket = ticket;
                table.setRelease((int) ticket & TABLE_MASK, call);
                return ticket;
            }
        }
    }

    private static int flagsOf(HostCall<?> call) {
        return call.flags
                | (call.task.isTuple() ? SlotMeta.FLAG_TUPLE : 0)
                | (call.hasDeadline ? SlotMeta.FLAG_DEADLINE : 0);
    }

    private Offer publish(
            HostCall<?> call,
            long ticket,
            long meta,
            long word0,
            long word1,
            long word2,
            long word3,
            @Nullable MemorySegment inline,
            long inlineOffset,
            int inlineLength) {
        boolean published = false;
        try {
            if (call.isToStop()) {
                call.recheck(); // aborted while it waited: the worker is to see it at once
            }
            if (call.hasDeadline) {
                writer.deadlinePlain(ticket, call.deadlineNanos);
            }
            if (Faults.ENABLED) {
                Faults.hit(FaultPoint.HOST_CLAIMED);
            }
            writer.publish(ticket, ticket, meta, word0, word1, word2, word3, inline, inlineOffset, inlineLength);
            published = true;
        } finally {
            if (!published) {
                abandon(ticket);
            }
            tickets.published(ticket);
        }
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.HOST_PUBLISHED);
        }
        ring();
        return Offer.ACCEPTED;
    }

    /** A message that could not be filled must not block the ones behind it. */
    private void abandon(long ticket) {
        boolean counts = remove(ticket) != null;
        publishVoid(ticket, counts);
    }

    /** Publishes a ticket that carries nothing. By the thread that has taken it. */
    final void publishVoid(long ticket, boolean counts) {
        voiding(ticket);
        writer.publishVoid(ticket);
        voided(ticket);
        if (counts) {
            VOIDED.getAndAdd(this, 1);
        }
    }

    // ---- the table

    /** The call with exactly this id, if it is open; null else. */
    final @Nullable HostCall<?> find(long callId) {
        HostCall<?> call = table.getAcquire((int) callId & TABLE_MASK);
        return call == null || call.ticket != callId ? null : call;
    }

    /** What is in the place of an id: a call with this id or with another one; null for nothing. */
    final @Nullable HostCall<?> inPlaceOf(long callId) {
        return table.getAcquire((int) callId & TABLE_MASK);
    }

    /** Takes a call out of the table if it is there with exactly this id. */
    final @Nullable HostCall<?> remove(long callId) {
        HostCall<?> call = find(callId);
        if (call != null) {
            remove(call);
        }
        return call;
    }

    /** Takes a call out of the table: its worker is done with its argument. */
    final void remove(HostCall<?> call) {
        table.setRelease((int) call.ticket & TABLE_MASK, null);
        long span = call.span;
        if (span >= 0) {
            call.span = -1;
            arena.free(span);
        }
    }
}

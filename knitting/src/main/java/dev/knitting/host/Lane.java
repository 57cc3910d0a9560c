package dev.knitting.host;

import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Progress;
import dev.knitting.codec.ArenaAllocator;
import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadArena;
import dev.knitting.codec.PayloadSpan;
import dev.knitting.codec.PayloadTag;
import dev.knitting.codec.ReferenceTable;
import dev.knitting.codec.WordCodec;
import dev.knitting.doorbell.Bell;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.mailbox.AbortLayout;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of one worker incarnation's lane: hands calls to it from any number of threads, takes results from it
 * one thread at a time. All bookkeeping is on the heap, where no worker reaches it.
 *
 * <p>Submitting: (1) encode, which may run user code; (2) take a span if the body does not fit the slot, copy; (3) claim
 * a ticket; (4) enter the call into the table; (5) fill and publish the slot; (6) mark the ticket as written; (7) ring.
 * Between 3 and 6 nothing allocates, locks or runs user code, but for a call that somebody has aborted already; if
 * something throws all the same, a void message is published.
 *
 * <p>INV-1: a call is in the table from its claim until its result was taken or the lane was recovered; whoever removes
 * it decides its fate. INV-2: a result is believed only if the table holds a call with exactly its id: late and forged
 * ones settle nothing. INV-3: a call is marked as arrived before its slot is acknowledged.
 */
final class Lane implements ReferenceTable {
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
    private static final int TABLE = 256;

    private static final int TABLE_MASK = TABLE - 1;
    private static final int MOST_PER_DRAIN = SlotLayout.SLOTS;
    private static final long FULL = -1;
    private static final long CLOSED = -2;

    private static final VarHandle DRAINING;
    private static final VarHandle SETTLED;
    private static final VarHandle VOIDED;
    private static final VarHandle RETIRED_SEEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            DRAINING = lookup.findVarHandle(Lane.class, "draining", int.class);
            SETTLED = lookup.findVarHandle(Lane.class, "settled", long.class);
            VOIDED = lookup.findVarHandle(Lane.class, "voided", int.class);
            RETIRED_SEEN = lookup.findVarHandle(Lane.class, "retiredSeen", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final LaneView view;
    private final MemorySegment memory;
    private final MailboxWriter writer;
    private final MailboxReader results;
    private final PayloadArena submitArena;
    private final long returnArenaOffset;
    private final long arenaBytes;
    private final long maxPayloadBytes;
    private final boolean byReference;
    private final Bell workerBell;

    private final AtomicReferenceArray<@Nullable HostCall<?>> table = new AtomicReferenceArray<>(TABLE);
    /** Calls that have begun and are answered later, by id; changed under the drain lock. */
    private final ConcurrentHashMap<Long, HostCall<?>> begun = new ConcurrentHashMap<>();
    /** Spans of the return arena that were taken from slots and not released yet. */
    private final AtomicInteger heldSpans = new AtomicInteger();

    private final long firstTicket;
    private final TicketCounter tickets;
    private final ServiceRate rate = new ServiceRate();
    private final Payload drainPayload = new Payload();
    private final AbortRecords aborts;
    /** Makes the worker look at its abort records; null until the worker was started. */
    private volatile @Nullable Runnable control;
    /** What the current drain has found and does when it has let go of the lock, which guards this. */
    private @Nullable List<Runnable> afterwards;

    @SuppressWarnings("unused") // by VarHandle; a 1 holds the drain lock
    private volatile int draining;

    @SuppressWarnings("unused") // counted by VarHandle
    private volatile int voided;

    /** Seen the worker say so: it never takes it back. */
    private boolean ringing;

    /** Last seen {@code retired}: stale values hide free slots and never invent them. Any producer refreshes it. */
    private volatile long retiredSeen;
    /** Calls answered for the first time, by BEGUN or a result, plus start; written under the drain lock, read by all. */
    private volatile long settled;
    /** Results of calls that had begun. */
    private final AtomicLong late = new AtomicLong();
    /** What a drain must add to its count of calls: begun ones, less late results. Guarded by the drain lock. */
    private int begunSinceDrain;

    Lane(
            int index,
            SharedSegment segment,
            LaneView view,
            Bell workerBell,
            long arenaBytes,
            long maxPayloadBytes,
            boolean byReference) {
        this.index = index;
        this.view = view;
        this.memory = segment.memory();
        long base = view.base();
        this.writer = new MailboxWriter(view.window(), LaneLayout.SUBMIT_OFFSET);
        this.results = new MailboxReader(view.window(), LaneLayout.RETURN_OFFSET, view.preparedReturnStart());
        this.aborts = new AbortRecords(view, this::holds, this::isInTable);
        this.submitArena = new PayloadArena(segment, base + LaneLayout.ARENAS_OFFSET, arenaBytes);
        this.returnArenaOffset = base + LaneLayout.ARENAS_OFFSET + arenaBytes;
        this.arenaBytes = arenaBytes;
        this.maxPayloadBytes = maxPayloadBytes;
        this.byReference = byReference;
        this.workerBell = workerBell;
        long first = view.preparedSubmitStart();
        this.firstTicket = first;
        this.tickets = new TicketCounter(first, TABLE);
        this.retiredSeen = first;
        this.settled = first;
    }

    int index() {
        return index;
    }

    LaneView view() {
        return view;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Rings the worker whatever was published, e.g. after the stop word. */
    void ringWorker() {
        workerBell.published();
    }

    // ---- aborts

    /** Says how the worker is made to look at its abort records. */
    void controlledBy(Runnable look) {
        control = look;
    }

    /**
     * Wants a call to stop, if this lane holds it. Any thread. A call that ends meanwhile is not harmed, nor is the next.
     *
     * @param what bits of {@link AbortLayout}
     */
    boolean tryAbort(HostCall<?> call, int what, String reason) {
        long callId = call.ticket; // racy, but the tables say whether it is the call's place here
        synchronized (aborts) {
            if (table.getAcquire((int) callId & TABLE_MASK) != call && begun.get(callId) != call) {
                return false;
            }
            aborts.request(call, callId, what, reason);
        }
        lookAtAborts();
        return true;
    }

    /**
     * Tells the task of a call that was {@linkplain #takeUnfinished taken} out of this lane that nobody waits for it any
     * more: a thread cannot be killed, but it may look at its context.
     */
    void abortTaken(HostCall<?> call, String reason) {
        aborts.request(call, call.ticket, AbortLayout.ABORT, reason);
        lookAtAborts();
    }

    private void lookAtAborts() {
        Runnable look = control;
        if (look != null) {
            look.run();
        }
    }

    // ---- load, as producers see it

    /** Calls that have begun and are answered later; the worker is free for others. */
    int begunCount() {
        return begun.size();
    }

    /** Calls handed over that were not answered; a hint to everybody but the drain lock's holder. */
    long outstanding() {
        return tickets.next() - settled - voided;
    }

    /** Answers taken so far; grows only. */
    long settledCount() {
        return settled + late.get();
    }

    boolean isOpen() {
        return !tickets.isClosed();
    }

    /** Whether the worker rings; until then whoever sleeps looks again soon. Ask before looking for results. */
    boolean isWorkerRinging() {
        if (!ringing) {
            ringing = view.isRingingAcquire();
        }
        return ringing;
    }

    boolean isWorkerAsleep() {
        return workerBell.isArmed();
    }

    /** Whether it makes sense to offer one more call: a fast worker is fed ahead, a slow one is not. */
    boolean hasRoom() {
        return isOpen() && outstanding() < rate.depth();
    }

    // ---- submit side

    /** Hands a call to the worker. Any thread. */
    Offer offer(HostCall<?> call) {
        if (!hasRoom()) {
            return isOpen() ? Offer.FULL : Offer.CLOSED;
        }
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
        workerBell.published();
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
        long span = submitArena.allocate(payload.bodyLength);
        if (span < 0) {
            if (PayloadArena.PREFIX_BYTES + payload.bodyLength <= (arenaBytes & -ArenaAllocator.ALIGNMENT_BYTES)) {
                return Offer.FULL; // somebody else's span, perhaps of a call that has no ticket yet, will be freed
            }
            throw Failures.arenaTooSmall(call.task, payload.bodyLength, arenaBytes);
        }
        submitArena.write(span, payload);
        call.span = span;
        long ticket = claim(call);
        if (ticket < 0) {
            call.span = -1;
            submitArena.free(span);
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
            if (ticket - retiredSeen >= SlotLayout.SLOTS && !isSlotFree(ticket)) {
                return FULL;
            }
            if (table.getAcquire((int) ticket & TABLE_MASK) != null) {
                return FULL; // a call from a lap ago has not ended
            }
            if (tickets.tryTake(ticket)) {
                call.ticket = ticket;
                table.setRelease((int) ticket & TABLE_MASK, call);
                return ticket;
            }
        }
    }

    /** Whether the slot's previous call was entered: known from its result, or else from the worker's word. */
    private boolean isSlotFree(long ticket) {
        long entered = settled; // first answers come in order: that many calls were entered at least
        if (ticket - entered >= SlotLayout.SLOTS) {
            entered = view.retiredAcquire();
        }
        RETIRED_SEEN.setOpaque(this, entered); // a hint: staleness hides free slots and never invents them
        return ticket - entered < SlotLayout.SLOTS;
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
        workerBell.published();
        return Offer.ACCEPTED;
    }

    /** A message that could not be filled must not block the ones behind it. */
    private void abandon(long ticket) {
        writer.publishVoid(ticket);
        if (remove(ticket) != null) {
            VOIDED.getAndAdd(this, 1);
        }
    }

    // ---- return side

    /**
     * Takes all results that were published before, waiting for another thread that is at it. Bounded, whatever a worker
     * goes on publishing: a mailbox holds no more than one drain takes.
     *
     * @param arrived is given each list of calls whose outcome arrived, linked by {@code nextDrained}
     */
    void drainPublished(Consumer<HostCall<?>> arrived) {
        HostCall<?> drained = drain(true);
        if (drained != null) {
            arrived.accept(drained);
        }
    }

    /** Whether a result waits; a hint that errs for a moment at most. */
    boolean hasResult() {
        return !results.isEmpty();
    }

    /**
     * Takes the results that wait, if no other thread is at it.
     *
     * @param block whether to wait for another thread that is
     * @return calls whose outcome arrived, linked by {@code nextDrained}, or null
     */
    @Nullable
    HostCall<?> drain(boolean block) {
        if (!tryLockDrain()) {
            if (!block) {
                return null;
            }
            ShortWait.until(this::tryLockDrain);
        }
        List<Runnable> reports;
        HostCall<?> first;
        try {
            first = drainLocked();
            reports = afterwards;
            afterwards = null;
        } finally {
            DRAINING.setRelease(this, 0);
        }
        if (reports != null) {
            reports.forEach(Runnable::run);
        }
        return first;
    }

    private boolean tryLockDrain() {
        return DRAINING.compareAndSet(this, 0, 1);
    }

    private @Nullable HostCall<?> drainLocked() {
        HostCall<?> first = null;
        HostCall<?> last = null;
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.HOST_DRAINING);
        }
        int taken = results.ready(MOST_PER_DRAIN);
        int matched = 0;
        for (int i = 0; i < taken; i++) {
            HostCall<?> call = take(results.slot());
            results.advance();
            if (call != null) {
                matched++;
                call.nextDrained = null;
                if (last == null) {
                    first = call;
                } else {
                    last.nextDrained = call;
                }
                last = call;
            }
        }
        if (taken > 0) {
            SETTLED.setRelease(this, settled + matched + begunSinceDrain);
            begunSinceDrain = 0;
            view.returnedRelease(results.position());
        }
        return first;
    }

    private @Nullable HostCall<?> take(long slot) {
        long callId = results.callIdPlain(slot);
        long meta = results.metaPlain(slot);
        int flags = SlotMeta.flags(meta);
        if ((flags & (SlotMeta.FLAG_VOID | SlotMeta.FLAG_PROGRESS | SlotMeta.FLAG_BEGUN)) != 0) {
            takeNoResult(slot, callId, meta, flags);
            return null;
        }
        HostCall<?> call = remove(callId);
        if (call == null) {
            call = removeBegun(callId);
            if (call == null) {
                return null; // late or forged: settles nothing
            }
        }
        if (call.deadlines != null) {
            call.deadlines.arrived();
        }
        if (aborts.anyDisplaced()) {
            afterDrain(() -> abortNext(callId));
        }
        int micros = SlotMeta.tookMicros(meta);
        call.onResult(index, micros);
        if (micros >= 0) {
            rate.measured(micros);
        }
        if ((flags & (SlotMeta.FLAG_STOPPED | SlotMeta.FLAG_NEVER_RAN)) != 0) {
            call.endedAs((flags & SlotMeta.FLAG_NEVER_RAN) != 0 ? Ended.NEVER_RAN : Ended.STOPPED);
        }
        if ((flags & SlotMeta.FLAG_NEVER_RAN) != 0) {
            call.setOutcome(
                    Failures.corruptResult(index, "neverRan", call.task.target()), true); // or dropped, if settled
        } else if (!byReference || (flags & SlotMeta.FLAG_REFERENCE) == 0) {
            boolean failed = (flags & SlotMeta.FLAG_FAILED) != 0;
            try {
                call.setOutcome(readOutcome(call, slot, meta, flags), failed);
            } catch (Throwable e) {
                call.setOutcome(e, true); // the call left the table: it must settle, whatever this is
            }
        }
        if (call.isOwnedByCaller()) {
            call.takeForOwner();
        } else {
            call.publishArrival();
        }
        return call;
    }

    private void afterDrain(Runnable work) {
        if (afterwards == null) {
            afterwards = new ArrayList<>();
        }
        afterwards.add(work);
    }

    /** A call was answered: whoever shares its abort record gets it, if it needs it still. */
    private void abortNext(long callId) {
        HostCall<?> next = aborts.next(callId);
        if (next != null) {
            next.recheck();
        }
    }

    private void takeNoResult(long slot, long callId, long meta, int flags) {
        if ((flags & SlotMeta.FLAG_VOID) != 0) {
            return;
        }
        if ((flags & SlotMeta.FLAG_BEGUN) != 0) {
            begun(callId, SlotMeta.tookMicros(meta));
        } else {
            takeProgress(slot, callId, meta, flags);
        }
    }

    /** Notes a report of an open call; it is handed on when the lock is free. */
    private void takeProgress(long slot, long callId, long meta, int flags) {
        HostCall<?> call = table.getAcquire((int) callId & TABLE_MASK);
        int length = SlotMeta.length(meta);
        if (call == null || call.ticket != callId || length > SlotLayout.INLINE_BYTES) {
            return; // late or forged: says nothing about any call
        }
        String note = null;
        if ((flags & SlotMeta.FLAG_INLINE) != 0) {
            byte[] bytes = new byte[length];
            results.inlinePlain(slot, bytes, length);
            note = new String(bytes, StandardCharsets.UTF_8);
        }
        Progress report = new Progress(results.wordPlain(slot, 0), results.wordPlain(slot, 1), note);
        long position = results.position();
        afterDrain(() -> call.progressed(position, report));
    }

    /** The worker has entered a call and goes on with others: it no longer counts as one that waits for its turn. */
    private void begun(long callId, int micros) {
        HostCall<?> call = table.getAcquire((int) callId & TABLE_MASK);
        if (call == null || call.ticket != callId || !call.task.isAsync()) {
            return; // forged: nothing else may be answered later, or its number would bound no calls
        }
        begun.put(callId, call); // before it leaves the table: a worker of this JVM may look for it now
        takeFromTable(call);
        begunSinceDrain++;
        if (micros >= 0) {
            rate.measured(micros);
        }
    }

    /** Takes a call that had begun; null if there is none with this id. */
    private @Nullable HostCall<?> removeBegun(long callId) {
        HostCall<?> call = begun.remove(callId);
        if (call != null) {
            begunSinceDrain--;
            late.incrementAndGet();
        }
        return call;
    }

    private @Nullable Object readOutcome(HostCall<?> call, long slot, long meta, int flags) {
        long word0 = results.wordPlain(slot, 0);
        byte tag = SlotMeta.tag(meta);
        if (SlotMeta.isCopy(flags) && WordCodec.isWord(tag)) {
            return call.task.checked(WordCodec.decode(tag, word0));
        }
        long word1 = results.wordPlain(slot, 1);
        boolean wide = SlotMeta.isWide(meta);
        long word2 = wide ? results.wordPlain(slot, 2) : 0;
        long word3 = wide ? results.wordPlain(slot, 3) : 0;
        int length = SlotMeta.length(meta);
        if ((flags & SlotMeta.FLAG_REFERENCE) != 0) {
            throw Failures.corruptResult(
                    index, "flags", flags); // values are copied here: there is no object to refer to
        }
        if ((flags & SlotMeta.FLAG_ARENA) != 0) {
            if (!PayloadSpan.isValid(word0, word1, returnArenaOffset, arenaBytes, maxPayloadBytes)) {
                throw Failures.corruptResult(index, "span", word0 + "+" + word1);
            }
            heldSpans.incrementAndGet();
            return new RawResult(this, meta, word0, word1, word2, word3, null);
        }
        if ((flags & SlotMeta.FLAG_INLINE) != 0) {
            if (length < 1 || length > SlotLayout.INLINE_BYTES) {
                throw Failures.corruptResult(index, "inlineLength", length);
            }
            byte[] bytes = new byte[length];
            results.inlinePlain(slot, bytes, length);
            return new RawResult(this, meta, word0, word1, word2, word3, bytes);
        }
        if (length > Payload.HEADER_BYTES) {
            throw Failures.corruptResult(index, "headerLength", length);
        }
        Payload payload = drainPayload;
        payload.tag = tag;
        payload.headerLength = length;
        payload.word0 = word0;
        payload.word1 = word1;
        payload.word2 = word2;
        payload.word3 = word3;
        return call.task.decodeHeader(payload, (flags & SlotMeta.FLAG_FAILED) != 0);
    }

    /** Takes a call out of the table if it is there with exactly this id. */
    private @Nullable HostCall<?> remove(long callId) {
        int at = (int) callId & TABLE_MASK;
        HostCall<?> call = table.getAcquire(at);
        if (call == null || call.ticket != callId) {
            return null;
        }
        takeFromTable(call);
        return call;
    }

    /** The worker is done with its argument. */
    private void takeFromTable(HostCall<?> call) {
        table.setRelease((int) call.ticket & TABLE_MASK, null);
        long span = call.span;
        if (span >= 0) {
            call.span = -1;
            submitArena.free(span);
        }
    }

    /** A decoded result needs its span no longer. */
    void releaseSpan(long span) {
        try {
            PayloadSpan.release(memory, span);
        } catch (InternalError e) {
            // A page for which there is no memory: nobody has allocated there, so nobody waits for it.
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "a span cannot be released", e);
        } finally {
            heldSpans.decrementAndGet();
        }
    }

    /** Spans of the return arena still being read. */
    int heldSpans() {
        return heldSpans.get();
    }

    // ---- the end of an incarnation

    /** Hands out no more tickets. */
    void close() {
        tickets.close();
    }

    /**
     * After the worker can run no more: takes every call that is left, waiting for producers that are between ticket and
     * publication. The results that were published must have been drained.
     */
    List<HostCall<?>> takeUnfinished() {
        long end = tickets.next();
        long start = Math.max(firstTicket, end - TABLE);
        List<HostCall<?>> left = new ArrayList<>();
        for (long ticket = start; ticket < end; ticket++) {
            tickets.awaitPublished(ticket);
            HostCall<?> call = remove(ticket);
            if (call != null) {
                left.add(call);
            }
        }
        left.addAll(begun.values());
        begun.clear();
        SETTLED.setRelease(this, end - voided);
        return left;
    }

    /** Whether the call was handed to this worker and its result not taken yet. Any thread. */
    boolean holds(HostCall<?> call) {
        return isInTable(call) || hasBegun(call);
    }

    private boolean isInTable(HostCall<?> call) {
        return table.getAcquire((int) call.ticket & TABLE_MASK) == call;
    }

    /** Whether the worker has entered the call and goes on with others until its stage completes. Any thread. */
    boolean hasBegun(HostCall<?> call) {
        return call.task.isAsync() && begun.get(call.ticket) == call;
    }

    /** Whether nothing that was handed to this worker earlier is left before the call. Any thread. */
    boolean isTurnOf(HostCall<?> call) {
        for (long ticket = Math.max(firstTicket, call.ticket - TABLE + 1); ticket < call.ticket; ticket++) {
            HostCall<?> earlier = table.getAcquire((int) ticket & TABLE_MASK);
            if (earlier != null && earlier.ticket < call.ticket) {
                return false;
            }
        }
        return true;
    }

    /** Whether the worker had entered a call: retired means entered. */
    boolean wasEntered(HostCall<?> call) {
        return call.ticket < view.retiredAcquire();
    }

    /** Positions at which the next incarnation starts in the same memory. */
    long nextTicket() {
        return tickets.next();
    }

    /** See {@link #nextTicket}. */
    long nextResult() {
        return results.position();
    }

    // ---- thread workers: payloads by reference

    @Override
    public @Nullable Object argument(long callId) {
        return open(callId).argument;
    }

    @Override
    public void result(long callId, @Nullable Object value, boolean failed) {
        open(callId).setOutcome(value, failed);
    }

    private HostCall<?> open(long callId) {
        HostCall<?> call = table.getAcquire((int) callId & TABLE_MASK);
        if (call == null || call.ticket != callId) {
            call = begun.get(callId);
        }
        if (call == null) {
            throw KnittingException.of(ErrorCode.CORRUPT_PEER, "no such call", "callId", callId, "worker", index);
        }
        return call;
    }
}

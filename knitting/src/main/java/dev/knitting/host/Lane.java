package dev.knitting.host;

import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Progress;
import dev.knitting.SharedBuffer;
import dev.knitting.codec.BufferAccess;
import dev.knitting.codec.BufferLender;
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
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of one worker incarnation's lane: takes results from it, one thread at a time, and tells it of aborts.
 * Calls go to it through its own submit mailbox, or through one that it shares with others. All bookkeeping is on the
 * heap, where no worker reaches it.
 *
 * <p>INV-1: a call is in the mailbox's table until its result was taken or the lane was recovered. INV-2: a result is
 * believed only if the table holds a call with exactly its id: late and forged ones settle nothing. INV-3: a call is
 * marked as arrived before its slot is acknowledged.
 */
final class Lane implements ReferenceTable, BufferLender {
    private static final int MOST_PER_DRAIN = SlotLayout.SLOTS;
    /** Of a shared buffer that whoever drains makes by the way: its pages cost less than to wake a thread. */
    private static final long MOST_BY_THE_WAY_BYTES = 256 << 10;

    private static final byte[] NO_BYTES = {};

    private static final VarHandle DRAINING;

    static {
        try {
            DRAINING = MethodHandles.lookup().findVarHandle(Lane.class, "draining", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final LaneView view;
    private final MemorySegment memory;
    private final MailboxReader results;
    private final SubmitMailbox submit;
    /** The same, if it is shared. */
    private final @Nullable SharedMailbox shared;

    private final long returnArenaOffset;
    private final long arenaBytes;
    private final long maxPayloadBytes;
    private final boolean byReference;
    private final Bell workerBell;

    /** Calls that have begun and are answered later, by id; changed under the drain lock. */
    private final ConcurrentHashMap<Long, HostCall<?>> begun = new ConcurrentHashMap<>();
    /** Spans of the return arena that were taken from slots and not released yet. */
    private final AtomicInteger heldSpans = new AtomicInteger();

    private final ServiceRate rate = new ServiceRate();
    private final Payload drainPayload = new Payload();
    private final AbortRecords aborts;
    /** Makes the worker look at its abort records; null until the worker was started. */
    private volatile @Nullable Runnable control;
    /** What the current drain has found and does when it has let go of the lock, which guards this. */
    private @Nullable List<Runnable> afterwards;

    @SuppressWarnings("unused") // by VarHandle; a 1 holds the drain lock
    private volatile int draining;

    /** Of a lane whose mailbox is shared: no further call is expected of its worker. */
    private volatile boolean closed;

    /** Where its tasks' shared buffers come from, and who makes large ones; null where there are none. */
    private @Nullable HostBuffers buffers;

    private Executor background = Runnable::run;

    /** Seen the worker say so: it never takes it back. */
    private boolean ringing;

    /** Results of calls that had begun. */
    private final AtomicLong late = new AtomicLong();
    /** What a drain must add to its count of calls: begun ones, less late results. Guarded by the drain lock. */
    private int begunSinceDrain;

    /** A lane with a submit mailbox of its own. */
    Lane(
            int index,
            SharedSegment segment,
            LaneView view,
            Bell workerBell,
            long arenaBytes,
            long maxPayloadBytes,
            boolean byReference) {
        this(
                index,
                segment,
                view,
                workerBell,
                arenaBytes,
                maxPayloadBytes,
                byReference,
                new PrivateMailbox(
                        view,
                        new PayloadArena(segment, view.base() + LaneLayout.ARENAS_OFFSET, arenaBytes),
                        arenaBytes,
                        workerBell,
                        byReference));
    }

    /** A lane whose calls go through this mailbox. */
    Lane(
            int index,
            SharedSegment segment,
            LaneView view,
            Bell workerBell,
            long arenaBytes,
            long maxPayloadBytes,
            boolean byReference,
            SubmitMailbox submit) {
        this.index = index;
        this.view = view;
        this.memory = segment.memory();
        this.submit = submit;
        this.shared = submit instanceof SharedMailbox several ? several : null;
        this.results = new MailboxReader(view.window(), LaneLayout.RETURN_OFFSET, view.preparedReturnStart());
        this.aborts = new AbortRecords(view, this::mayHold, this::isInTable);
        this.returnArenaOffset = view.base() + LaneLayout.ARENAS_OFFSET + arenaBytes;
        this.arenaBytes = arenaBytes;
        this.maxPayloadBytes = maxPayloadBytes;
        this.byReference = byReference;
        this.workerBell = workerBell;
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

    /** Rings the worker if it sleeps; whether it was this that did. After a fence. */
    boolean tryRingWorker() {
        return workerBell.ringIfArmed();
    }

    /** Says where shared buffers come from. Before the worker is started. */
    void lends(HostBuffers from, Executor slowly) {
        buffers = from;
        background = slowly;
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
            if (submit.inPlaceOf(callId) != call && begun.get(callId) != call) {
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
        return submit.outstanding();
    }

    /** Answers taken so far; grows only. */
    long settledCount() {
        return submit.settled() + late.get();
    }

    boolean isOpen() {
        return shared == null ? submit.isOpen() : !closed;
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

    /** Hands a call to the worker, by its own mailbox. Any thread. */
    SubmitMailbox.Offer offer(HostCall<?> call) {
        if (!hasRoom()) {
            return isOpen() ? SubmitMailbox.Offer.FULL : SubmitMailbox.Offer.CLOSED;
        }
        return submit.offer(call);
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
            if (shared == null) {
                submit.addSettled(matched + begunSinceDrain);
            } else {
                shared.addSettledAtomic(matched + begunSinceDrain);
            }
            begunSinceDrain = 0;
            view.returnedRelease(results.position());
        }
        return first;
    }

    private @Nullable HostCall<?> take(long slot) {
        long callId = results.callIdPlain(slot);
        long meta = results.metaPlain(slot);
        int flags = SlotMeta.flags(meta);
        if ((flags & (SlotMeta.FLAG_VOID | SlotMeta.FLAG_PROGRESS | SlotMeta.FLAG_BEGUN | SlotMeta.FLAG_WANTS_BUFFER))
                != 0) {
            takeNoResult(slot, callId, meta, flags);
            return null;
        }
        HostCall<?> call = submit.remove(callId);
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
        if ((flags & SlotMeta.FLAG_WANTS_BUFFER) != 0) {
            takeWish(slot, callId);
        } else if ((flags & SlotMeta.FLAG_BEGUN) != 0) {
            begun(callId, SlotMeta.tookMicros(meta));
        } else {
            takeProgress(slot, callId, meta, flags);
        }
    }

    /** Notes a report of an open call; it is handed on when the lock is free. */
    private void takeProgress(long slot, long callId, long meta, int flags) {
        HostCall<?> call = submit.find(callId);
        int length = SlotMeta.length(meta);
        if (call == null || length > SlotLayout.INLINE_BYTES) {
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

    /** Notes that the task of an open call wants a buffer: made when the lock is free. */
    private void takeWish(long slot, long callId) {
        HostCall<?> call = submit.find(callId);
        HostBuffers from = buffers;
        if (call == null || from == null) {
            return; // late or forged: nobody to make it for
        }
        long bytes = results.wordPlain(slot, 0);
        long request = results.wordPlain(slot, 1);
        CallBuffers of = call.callBuffers(); // now: once the call has settled it takes none
        Runnable work = () -> grant(of, from, bytes, request);
        afterDrain(bytes <= MOST_BY_THE_WAY_BYTES ? work : () -> background.execute(work));
    }

    private void grant(CallBuffers of, HostBuffers from, long bytes, long request) {
        long id;
        long start = 0;
        try {
            HostBuffer made = of.grant(from, bytes);
            id = made == null ? -ErrorCode.POOL_CLOSED.number() : made.id();
            start = made == null ? 0 : made.start();
        } catch (KnittingException e) {
            id = -e.code().number();
        } catch (IllegalArgumentException e) { // no worker that is in order asks for nothing
            id = -ErrorCode.CORRUPT_PEER.number();
        }
        try {
            view.grantRelease(request, id, start);
        } catch (IllegalStateException e) {
            // The pool was closed meanwhile, and its memory is gone.
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "a buffer came too late", e);
        }
    }

    /** The worker has entered a call and goes on with others: it no longer counts as one that waits for its turn. */
    private void begun(long callId, int micros) {
        HostCall<?> call = submit.find(callId);
        if (call == null || !call.task.isAsync()) {
            return; // forged: nothing else may be answered later, or its number would bound no calls
        }
        begun.put(callId, call); // before it leaves the table: a worker of this JVM may look for it now
        submit.remove(call);
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
        if (tag == PayloadTag.SHARED_BUFFER) {
            return new RawResult(this, meta, word0, word1, word2, word3, NO_BYTES); // whoever drops it drops no handle
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

    /** No further call is expected of the worker. */
    void close() {
        closed = true;
        if (shared == null) {
            submit.close();
        }
    }

    /**
     * After the worker can run no more: takes every call that is left with it, waiting for producers that are between
     * ticket and publication. The results that were published must have been drained.
     */
    List<HostCall<?>> takeUnfinished() {
        List<HostCall<?>> left = shared == null ? takeAll() : shared.takeClaimedBy(index);
        left.addAll(begun.values());
        begun.clear();
        return left;
    }

    private List<HostCall<?>> takeAll() {
        long end = submit.nextTicket();
        long start = Math.max(submit.first(), end - SubmitMailbox.TABLE);
        List<HostCall<?>> left = new ArrayList<>();
        for (long ticket = start; ticket < end; ticket++) {
            submit.tickets.awaitPublished(ticket);
            HostCall<?> call = submit.remove(ticket);
            if (call != null) {
                left.add(call);
            }
        }
        submit.addSettled(submit.outstanding());
        return left;
    }

    /** Whether the worker holds the call: it was handed to it, or claimed by it, and its result not taken yet. Any thread. */
    boolean holds(HostCall<?> call) {
        return (isInTable(call) && (shared == null || shared.claimantOf(call) == index)) || hasBegun(call);
    }

    /** Whether the worker may have something to do with the call, now or later. Any thread. */
    private boolean mayHold(HostCall<?> call) {
        return isInTable(call) || hasBegun(call);
    }

    private boolean isInTable(HostCall<?> call) {
        return submit.inPlaceOf(call.ticket) == call;
    }

    /** Whether the worker has entered the call and goes on with others until its stage completes. Any thread. */
    boolean hasBegun(HostCall<?> call) {
        return call.task.isAsync() && begun.get(call.ticket) == call;
    }

    /** Whether nothing that was handed to this worker earlier is left before the call. Any thread. */
    boolean isTurnOf(HostCall<?> call) {
        if (shared != null) {
            return wasEntered(call);
        }
        long start = Math.max(submit.first(), call.ticket - SubmitMailbox.TABLE + 1);
        for (long ticket = start; ticket < call.ticket; ticket++) {
            if (submit.find(ticket) != null) {
                return false;
            }
        }
        return true;
    }

    /** Whether the worker had entered a call: retired, or claimed, means entered. */
    boolean wasEntered(HostCall<?> call) {
        if (shared == null) {
            return call.ticket < view.retiredAcquire();
        }
        return begun.get(call.ticket) == call || shared.claimantOf(call) == index;
    }

    /** Whether the worker had entered a call that was left with it: what is left of a shared mailbox was claimed. */
    boolean hadEntered(HostCall<?> unfinished) {
        return shared != null || wasEntered(unfinished);
    }

    /** Takes a HOLD back: the worker may enter calls. */
    void release() {
        view.takeBackVolatile(LaneLayout.REQUEST_HOLD);
        ringWorker();
    }

    /** Positions at which the next incarnation starts in the same memory. */
    long nextTicket() {
        return submit.nextTicket();
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

    // ---- thread workers: shared buffers

    @Override
    public BufferAccess ofTask(long callId) {
        return open(callId).callBuffers().ofTask();
    }

    @Override
    public SharedBuffer allocate(long callId, long bytes) {
        HostBuffers from = buffers;
        SharedBuffer made = null;
        if (from != null && byReference) {
            HostBuffer free = from.make(bytes); // the task's own, as any object that it makes
            made = free.side(free.start(), free.size());
        } else if (from != null) {
            made = open(callId).callBuffers().grantHere(from, bytes);
        }
        if (made == null) {
            throw KnittingException.of(ErrorCode.POOL_CLOSED, "the call is over", "what", "allocate");
        }
        return made;
    }

    private HostCall<?> open(long callId) {
        HostCall<?> call = submit.find(callId);
        if (call == null) {
            call = begun.get(callId);
        }
        if (call == null) {
            throw KnittingException.of(ErrorCode.CORRUPT_PEER, "no such call", "callId", callId, "worker", index);
        }
        return call;
    }
}

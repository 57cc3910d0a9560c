package dev.knitting.worker;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Progress;
import dev.knitting.SharedBuffer;
import dev.knitting.TaskContext;
import dev.knitting.TaskFailedException;
import dev.knitting.boot.BoundTask;
import dev.knitting.boot.LoopEnd;
import dev.knitting.boot.TaskResolver;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.codec.BufferAccess;
import dev.knitting.codec.BufferHandle;
import dev.knitting.codec.BufferLender;
import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadSpan;
import dev.knitting.codec.PayloadTag;
import dev.knitting.codec.ReferenceTable;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import dev.knitting.codec.WordCodec;
import dev.knitting.doorbell.Bell;
import dev.knitting.doorbell.BellSleeper;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.mailbox.Utf8;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What a worker does: take a call, run it, publish the result; the same in a thread and in a process.
 *
 * <p>A task that returns a stage which is not complete is answered twice: at once with BEGUN, and with its result when
 * the stage completes, see {@link OpenStages}.
 *
 * <p>For each call: (1) read the slot's words once, copy inline bytes; (2) retire the slot, or claim
 * it if others serve the mailbox too: from here on the call counts as entered, so that a payload whose decoding kills workers is not handed out for ever; (3) decode; (4) run; (5) encode,
 * taking a span if need be; (6) wait for room in the return mailbox; (7) publish; (8) clear the call's interrupt; (9) ring
 * the host if it sleeps. Whatever is thrown in 3 to 5 becomes the call's failure. A call that was cancelled before 3 is
 * answered without running. {@link AbortControl} says how an interrupt meets the right call.
 *
 * <p>The empty methods at the end are for {@link TracedWorkerLoop}, the only subclass. As long as nobody debugs, that class
 * is not loaded; the compiler then knows that they are empty, and nothing of them is left in the machine code.
 */
public class WorkerLoop implements BufferAccess {
    /** Of two bytes each, with what else a failure takes: well below what a slot holds. */
    private static final int MOST_CHARACTERS_IN_SLOT = 200;

    private static final byte UNKNOWN_TAG = -1;
    /** How many calls of a shared mailbox a worker looks at together: others take of them too. */
    private static final int LOOK_AHEAD = 8;

    private static final int CALLS_PER_MEASUREMENT = 16;
    private static final long FAST_NANOS = 20_000;

    private final SharedSegment segment;
    private final LaneView lane;
    private final WorkerConfig config;
    private final TaskResolver resolver;
    private final @Nullable ReferenceTable references;
    private final SegmentHeaderView header;
    private final MailboxReader calls;
    /** The same, if it is a mailbox that other workers serve too. */
    private final @Nullable ClaimReader claims;

    private final MailboxWriter results;
    private final ReturnArena returnArena;
    private final WorkerIdle idle;
    private final ValueCodec failureCodec;
    private final long submitArenaOffset;

    private final Payload argument = new Payload();
    private final Payload result = new Payload();
    private final byte[] inlineBytes = new byte[SlotLayout.INLINE_BYTES];
    private @Nullable MemorySegment inlineCopy;

    /** Null until {@link #linked}: the host looks by itself until then. */
    private volatile @Nullable Bell hostBell;

    private BoundTask[] tasks = new BoundTask[16];
    private long nextResult;
    /** Calls until the next one that is measured. */
    private int unmeasured = 1;
    /** For how many calls the measured one stands. */
    private int callsPerMeasurement = 1;

    private final int callsPerFastMeasurement;

    private long returnedSeen;
    /** Null until a task has returned a stage that was not complete. */
    private @Nullable OpenStages stages;
    /** The same, for who delivers aborts. */
    private volatile @Nullable OpenStages abortableStages;
    /** Results that wait for an idle moment; null unless the pool wants that. */
    private final @Nullable HeldResults held;

    private final AbortControl control;
    private boolean hasDeadline;
    private long deadlineNanos;
    /** What this clock is ahead of the host's. */
    private volatile long clockOffsetNanos;
    /** Whether {@link #hostBell} fences like the control. */
    private volatile boolean asymmetricFence;
    /** Of the call that runs, if it asked for one. */
    private @Nullable CallContext context;

    /** By which the host may leave the loop's thread behind; null in a process, which it kills instead. */
    private @Nullable RunGate gate;
    /** Whether the host may end this worker on account of the call that runs: then its result is not kept either. */
    private boolean guarded;
    /** The gate, while a call runs that allows it. */
    private @Nullable RunGate guard;
    /** Calls that this incarnation takes, and how many it has taken. */
    private final long mostCalls;

    private long taken;
    /** A task has exhausted the heap of this process. */
    private boolean exhausted;

    /** Where shared buffers come from in a thread of the host; null in a process. */
    private @Nullable BufferLender lender;
    /** Those of this process; null until there is one. */
    private @Nullable LentBuffers lent;
    /** The call whose values are decoded or encoded. */
    private long bufferCall;
    /** Buffers that tasks of this incarnation asked for. */
    private int bufferRequests;

    private @Nullable ProgressSender progress;
    /** Position of the last progress message, plus 1. */
    private long progressSent;

    /**
     * A loop over one lane.
     *
     * @param references where payloads travel by reference, else null
     */
    public WorkerLoop(
            SharedSegment segment,
            SegmentHeaderView header,
            LaneView lane,
            WorkerConfig config,
            TaskResolver resolver,
            @Nullable ReferenceTable references) {

        this.segment = segment;
        this.header = header;
        this.lane = lane;
        this.config = config;
        this.resolver = resolver;
        this.references = references;
        long base = lane.base();
        this.claims = SharedCalls.of(segment, header, lane);
        this.calls = claims != null
                ? claims
                : new MailboxReader(lane.window(), LaneLayout.SUBMIT_OFFSET, lane.submitStartPlain());
        this.results = new MailboxWriter(lane.window(), LaneLayout.RETURN_OFFSET);
        long arenas = base + LaneLayout.ARENAS_OFFSET;
        this.submitArenaOffset = claims != null ? SharedCalls.arenaOffset(header) : arenas;
        this.returnArena = new ReturnArena(segment, arenas + config.arenaBytes(), config.arenaBytes());
        this.nextResult = lane.returnStartPlain();
        this.returnedSeen = nextResult;
        this.mostCalls = config.recycleAfter() == 0 ? Long.MAX_VALUE : config.recycleAfter();
        this.idle = new WorkerIdle(calls, lane, header, config.spinNanos(), config.parkNanos());
        this.control = new AbortControl(lane);
        this.callsPerFastMeasurement = config.measureEachCall() ? 1 : CALLS_PER_MEASUREMENT;
        this.held = config.deliverWhenIdle() ? new HeldResults() : null;
        this.argument.buffers = this;
        this.result.buffers = this;
        this.failureCodec = new ValueCodec(TypeTable.EMPTY, config.maxPayloadBytes());
    }

    /** From now on the worker sleeps on its bell and rings with this one. Any thread, once. */
    public void linked(Bell bell, BellSleeper sleeper, boolean asymmetric) {
        control.fenceWith(asymmetric); // before the loop relies on it
        asymmetricFence = asymmetric;
        hostBell = bell;
        lane.ringingRelease();
        idle.linked(sleeper, asymmetric);
    }

    /** How far this process's {@code System.nanoTime()} is ahead of the host's. Before the first call. */
    public void clockAhead(long nanos) {
        clockOffsetNanos = nanos;
    }

    /** For a worker that is a thread: by this the host may leave it behind. Before {@link #run}. */
    public void guardedBy(RunGate by) {
        gate = by;
    }

    /** For a worker that is a thread: where its tasks get shared buffers. Before {@link #run}. */
    public void borrowsFrom(BufferLender host) {
        lender = host;
    }

    /** Delivers what the host asked of the call that runs: interrupts it. Any thread, whenever there may be an abort. */
    public void deliverAborts() {
        control.deliver();
        OpenStages open = abortableStages;
        if (open != null) {
            open.cancelAborted();
        }
    }

    /**
     * Runs the start hook, warms the tasks known at the start, says that the worker is ready, and serves until the host
     * asks it to end, or until it should not go on.
     *
     * @return how it ended, see {@link LoopEnd}
     * @throws KnittingException if a task cannot be found; the worker is not ready then
     */
    public int run() {
        control.runsOn(Thread.currentThread());
        if (Thread.currentThread() instanceof WorkerThread carrier) {
            carrier.runs(this);
        }
        if (config.startHook().length > 0) {
            resolver.start(config.startHook());
        }
        for (int id = 0; id < config.tasks(); id++) {
            task(id);
        }
        header.addAwakeWorkersVolatile(1);
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.WORKER_READY);
        }
        lane.stateRelease(WorkerState.READY);
        onReady();
        try {
            return serveAll();
        } finally {
            if (stages != null) {
                stages.close();
            }
            header.addAwakeWorkersVolatile(-1);
            onStop();
        }
    }

    private int serveAll() {
        while (true) {
            // A result is published, a fence (resultPublished), then this load: partner of the host's store, fence,
            // drain.
            int pause = lane.pauseAcquire();
            if (pause != 0) {
                if ((pause & ~LaneLayout.REQUEST_HOLD) != 0) {
                    return (pause & LaneLayout.REQUEST_STOP) != 0 ? stopped() : retired();
                }
                hold();
                continue;
            }
            if (stages != null) {
                answerCompleted(stages);
            }
            int ready = calls.ready(claims == null ? SlotLayout.SLOTS : LOOK_AHEAD);
            if (ready == 0 && !exhausted && (held == null || !deliver(held))) {
                onIdle();
                idle.await();
            }
            for (int i = 0; i < ready && !exhausted && lane.pauseAcquire() == 0; i++) {
                if (!serve(calls.slot())) {
                    return LoopEnd.ABANDONED;
                }
                if (taken >= mostCalls && !exhausted) {
                    return retired();
                }
            }
            if (exhausted) {
                if (held != null) {
                    deliver(held);
                }
                return LoopEnd.EXHAUSTED;
            }
        }
    }

    /** Waits until the host takes its request back, or wants more. It interrupts, if at all, before it does so. */
    private void hold() {
        while (lane.pauseAcquire() == LaneLayout.REQUEST_HOLD) {
            idle.awaitRelease();
        }
        Thread.interrupted(); // it was meant for the call before
    }

    /** After {@link #run}: ends what the tasks held, e.g. services. The loop's thread. */
    public void close() {
        resolver.close();
    }

    private static int stopped() {
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.WORKER_STOPPING);
        }
        return LoopEnd.STOPPED;
    }

    /** Enters no more calls; answers those whose stages are open. */
    private int retired() {
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.WORKER_STOPPING);
        }
        while (true) {
            if (held != null) {
                deliver(held);
            }
            if (stages == null || !stages.hasOpen()) {
                return LoopEnd.RETIRED;
            }
            if (lane.isStopRequestedAcquire()) {
                return LoopEnd.STOPPED;
            }
            idle.awaitStage();
            answerCompleted(stages);
        }
    }

    /** False if the host has left this thread behind: it must touch nothing of the lane any more. */
    private boolean serve(long slot) {
        long callId = calls.callIdPlain(slot);
        long meta = calls.metaPlain(slot);
        int flags = SlotMeta.flags(meta);
        if ((flags & SlotMeta.FLAG_VOID) != 0) {
            tryTake();
            return true;
        }
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.CALL_SEEN);
        }
        boolean isWord = SlotMeta.isCopy(flags) && WordCodec.isWord(SlotMeta.tag(meta));
        long word = 0;
        if (isWord) {
            word = calls.wordPlain(slot, 0);
        } else {
            readArgument(slot, meta, flags);
        }
        hasDeadline = (flags & SlotMeta.FLAG_DEADLINE) != 0;
        if (hasDeadline) {
            deadlineNanos = calls.deadlinePlain(slot) + clockOffsetNanos;
        }
        if (!tryTake()) {
            return true; // another worker has it
        }
        control.enter(callId);
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.CALL_ENTERED);
        }
        BellFence.publisher(asymmetricFence); // running -> look for aborts
        int taskId = SlotMeta.task(meta);
        onEntered(callId, taskId);
        if (control.isSkipped(callId)) {
            skip(callId);
            return true;
        }
        guarded = (flags & SlotMeta.FLAG_GUARDED) != 0;
        if (guarded) {
            if (held != null) {
                deliver(held); // else these calls would be lost, too, if the host ends this worker on account of the
                // next
            }
            if (gate != null) {
                guard = gate;
                gate.enter();
            }
        }
        return references != null ? runByReference(references, callId, taskId) : run(callId, meta, isWord, word);
    }

    /** Whether the call that has run is to be answered; if not, the host has left this thread behind. */
    private boolean isAnswered() {
        RunGate left = guard;
        if (left == null) {
            return true;
        }
        guard = null;
        return left.leave();
    }

    /** The call was cancelled before it was entered. */
    private void skip(long callId) {
        control.leave(callId);
        awaitSlot();
        results.publishWord(nextResult++, callId, SlotMeta.pack(0, PayloadTag.NULL, SlotMeta.FLAG_NEVER_RAN, 0), 0);
        resultPublished();
    }

    /** The call has run; what its result says about how it ended: a flag, or 0. */
    private int leave(long callId) {
        CallContext asked = context;
        if (asked != null) {
            context = null;
            java.util.Objects.requireNonNull(progress).finish(callId);
        }
        return control.leave(callId) ? SlotMeta.FLAG_STOPPED : 0;
    }

    /** After a result's publication: ends the call's interrupts, then rings. */
    private void resultPublished() {
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.RESULT_PUBLISHED);
        }
        Bell bell = hostBell;
        if (bell == null) {
            VarHandle.fullFence();
            control.settleInterrupts();
            return;
        }
        bell.fence();
        control.settleInterrupts();
        bell.ringIfArmed();
    }

    // ---- what tasks ask, on the loop's thread

    /** The context of the call that runs. */
    TaskContext context(int workerId) {
        long callId = control.running();
        if (callId == AbortControl.NONE) {
            return new BetweenCalls(workerId);
        }
        CallContext known = context;
        if (known == null) {
            ProgressSender sender = progress;
            if (sender == null) {
                sender = new ProgressSender(this, Thread.currentThread());
                progress = sender;
            }
            known = new CallContext(workerId, callId, hasDeadline, deadlineNanos, control, sender, this);
            context = known;
        }
        return known;
    }

    /** Whether one more progress message does no harm: the host took the last one, and there is room. */
    boolean isProgressTaken() {
        returnedSeen = lane.returnedAcquire();
        return returnedSeen >= progressSent && nextResult - returnedSeen < SlotLayout.SLOTS;
    }

    /** Sends a progress message; waits if there is no room for it. */
    void publishProgress(long callId, Progress report) {
        RunGate open = guard;
        if (open == null) {
            sendProgress(callId, report);
        } else if (open.tryPass()) { // else this thread was left behind: nobody listens
            sendProgress(callId, report);
            open.passed();
        }
    }

    private void sendProgress(long callId, Progress report) {
        byte[] note = report.note() == null ? new byte[0] : Utf8.cut(report.note(), SlotLayout.INLINE_BYTES);
        awaitSlot();
        int flags = SlotMeta.FLAG_PROGRESS | (report.note() == null ? 0 : SlotMeta.FLAG_INLINE);
        long meta = SlotMeta.pack(0, PayloadTag.NULL, flags, note.length);
        results.publish(
                nextResult++,
                callId,
                meta,
                report.done(),
                report.total(),
                0,
                0,
                note.length == 0 ? null : MemorySegment.ofArray(note),
                0,
                note.length);
        progressSent = nextResult;
        Bell bell = hostBell;
        if (bell != null) {
            bell.published();
        }
    }

    // ---- shared buffers, on the loop's thread

    /** For the codec: whether the call that is being answered may name a buffer in its result. */
    @Override
    public boolean mayLeave(BufferHandle whole) {
        BufferLender host = lender;
        return host != null ? host.ofTask(bufferCall).mayLeave(whole) : LentBuffers.mayLeave(bufferCall, whole);
    }

    /** For the codec: a buffer that the call's argument names. */
    @Override
    public @Nullable SharedBuffer arriving(long id, long start, long size) {
        BufferLender host = lender;
        return host != null
                ? host.ofTask(bufferCall).arriving(id, start, size)
                : lent().arriving(bufferCall, id, start, size);
    }

    private LentBuffers lent() {
        LentBuffers known = lent;
        if (known == null) {
            known = new LentBuffers(segment, SharedCalls.buffersOffset(header, config), Thread.currentThread());
            lent = known;
        }
        return known;
    }

    /** A result may be a view of a shared buffer, which dies before the result is copied into the arena: copies it now. */
    private void detachFromBuffers(long callId) {
        LentBuffers had = lent;
        MemorySegment body = result.body;
        if (had != null && body != null && body.isNative() && had.hasAny(callId)) {
            result.body = MemorySegment.ofArray(
                    body.asSlice(result.bodyOffset, result.bodyLength).toArray(ValueLayout.JAVA_BYTE));
            result.bodyOffset = 0;
        }
    }

    /** The call's result was encoded: its views die. */
    private void endBuffers(long callId) {
        LentBuffers had = lent;
        if (had != null) {
            had.end(callId);
        }
    }

    /** A buffer for the call that runs: asks the host for it, and waits. */
    SharedBuffer allocate(long callId, long bytes) {
        if (!(Thread.currentThread() instanceof WorkerThread own && own.runsFor(this)) || control.running() != callId) {
            throw new IllegalStateException("a task allocates on its own thread, as long as its call runs");
        }
        if (bytes < 1) {
            throw new IllegalArgumentException("length of a buffer out of range: bytes=" + bytes + ", minimum=1");
        }
        BufferLender host = lender;
        if (host != null) {
            return host.allocate(callId, bytes);
        }
        long request = ((long) lane.incarnationPlain() << Integer.SIZE) | Integer.toUnsignedLong(++bufferRequests);
        awaitSlot();
        long meta = SlotMeta.pack(0, PayloadTag.NULL, SlotMeta.FLAG_WANTS_BUFFER, 0);
        results.publish(nextResult++, callId, meta, bytes, request, 0, 0, null, 0, 0);
        Bell bell = hostBell;
        if (bell != null) {
            bell.published();
        }
        return lent().granted(lane, callId, request, bytes);
    }

    // ---- calls

    /** Takes the call whose words were read: from here on it counts as entered. False if another worker has taken it. */
    private boolean tryTake() {
        ClaimReader several = claims;
        if (several == null) {
            calls.advance();
            lane.retiredRelease(calls.position());
        } else {
            long ticket = several.position();
            if (!several.tryClaim()) {
                onClaimLost();
                return false;
            }
            onClaimed(ticket);
        }
        taken++;
        return true;
    }

    private void readArgument(long slot, long meta, int flags) {
        Payload into = argument;
        into.tag = SlotMeta.tag(meta);
        into.headerLength = 0;
        int length = SlotMeta.length(meta);
        if ((flags & SlotMeta.FLAG_ARENA) != 0) {
            long span = calls.wordPlain(slot, 0);
            long bytes = calls.wordPlain(slot, 1);
            if (PayloadSpan.isValid(span, bytes, submitArenaOffset, config.arenaBytes(), config.arenaBytes())) {
                lane.addCounterOpaque(LaneLayout.BYTES_IN_OFFSET, bytes);
                PayloadSpan.read(segment.memory(), span, bytes, into);
            } else {
                into.tag = UNKNOWN_TAG; // decoding refuses it, and the call fails
            }
            return;
        }
        into.word0 = calls.wordPlain(slot, 0);
        into.word1 = calls.wordPlain(slot, 1);
        if (SlotMeta.isWide(meta)) {
            into.word2 = calls.wordPlain(slot, 2);
            into.word3 = calls.wordPlain(slot, 3);
        }
        if ((flags & SlotMeta.FLAG_INLINE) != 0) {
            int bytes = Math.min(length, SlotLayout.INLINE_BYTES);
            calls.inlinePlain(slot, inlineBytes, bytes);
            lane.addCounterOpaque(LaneLayout.BYTES_IN_OFFSET, bytes);
            into.body = inlineCopy();
            into.bodyOffset = 0;
            into.bodyLength = bytes;
        } else {
            into.body = null;
            into.bodyOffset = 0;
            into.bodyLength = 0;
            into.headerLength = Math.min(length, Payload.HEADER_BYTES);
        }
    }

    private MemorySegment inlineCopy() {
        MemorySegment copy = inlineCopy;
        if (copy == null) {
            copy = MemorySegment.ofArray(inlineBytes); // not before it is needed: segments are slow to load
            inlineCopy = copy;
        }
        return copy;
    }

    private boolean run(long callId, long meta, boolean isWord, long word) {
        ValueCodec codec = failureCodec;
        boolean failed = false;
        byte resultTag = WordCodec.NOT_A_WORD;
        long resultWord = 0;
        long started = startMeasuring();
        bufferCall = callId;
        try {
            BoundTask task = task(SlotMeta.task(meta));
            codec = java.util.Objects.requireNonNull(task.codec());
            Object value = isWord ? WordCodec.decode(SlotMeta.tag(meta), word) : decodeArgument(codec, meta);
            if (Faults.ENABLED) {
                Faults.hit(FaultPoint.CALL_DECODED);
            }
            onRun(callId);
            value = task.body().run(value);
            if (Faults.ENABLED) {
                Faults.hit(FaultPoint.CALL_RAN);
            }
            if (task.async()) {
                CompletionStage<?> stage = OpenStages.stage(value);
                if (!OpenStages.isDone(stage)) {
                    return isAnswered() && answerLater(callId, task, stage, started);
                }
                value = OpenStages.value(stage);
            }
            resultTag = held == null ? WordCodec.tagOf(value) : WordCodec.NOT_A_WORD;
            if (resultTag == WordCodec.NOT_A_WORD) {
                codec.encode(value, result);
                detachFromBuffers(callId);
            } else {
                resultWord = WordCodec.wordOf(value);
            }
        } catch (Throwable e) {
            failed = true;
            // What the heap's exhaustion has left half done in this process nobody knows: answer, then end. A worker
            // that is a thread has the host's heap, and goes on as the host does.
            exhausted = e instanceof OutOfMemoryError && gate == null;
            codec.encodeFailure(e, result);
        }
        endBuffers(callId);
        if (!isAnswered()) {
            return false;
        }
        if (resultTag == WordCodec.NOT_A_WORD) {
            answer(callId, took(started), codec, failed, leave(callId));
        } else {
            publishWord(callId, took(started), resultTag, leave(callId), resultWord);
        }
        return true;
    }

    private @Nullable Object decodeArgument(ValueCodec codec, long meta) {
        boolean tuple = (SlotMeta.flags(meta) & SlotMeta.FLAG_TUPLE) != 0;
        return tuple ? codec.decodeAll(argument) : codec.decode(argument);
    }

    private void publishWord(long callId, int took, byte tag, int flags, long word) {
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.RESULT_ENCODED);
        }
        if ((flags & SlotMeta.FLAG_FAILED) != 0) {
            lane.addCounterOpaque(LaneLayout.FAILED_CALLS_OFFSET, 1);
        }
        awaitSlot();
        results.publishWord(nextResult++, callId, SlotMeta.pack(took, tag, flags, 0), word);
        onResult(callId, (flags & SlotMeta.FLAG_FAILED) != 0);
        resultPublished();
    }

    /** Publishes the encoded result, or keeps it for an idle moment. */
    private void answer(long callId, int took, ValueCodec codec, boolean failed, int ended) {
        if (held == null || guarded) {
            publish(callId, took, codec, failed, ended, result);
        } else {
            held.add(callId, took, ended | (failed ? SlotMeta.FLAG_FAILED : 0), codec, result);
            leftWithoutPublication();
        }
        result.body = null; // may be the task's own array: not to be kept alive
    }

    /** The next call comes before this one's result: ends its interrupts now. */
    private void leftWithoutPublication() {
        VarHandle.fullFence(); // running = none -> look at delivering
        control.settleInterrupts();
    }

    /**
     * The stage is still open: tells the host that the call has begun, so that it counts on this worker for other calls;
     * answers when the stage completes. True.
     */
    private boolean answerLater(long callId, BoundTask task, CompletionStage<?> stage, long started) {
        leave(callId);
        awaitSlot();
        results.publishWord(
                nextResult++, callId, SlotMeta.pack(took(started), PayloadTag.NULL, SlotMeta.FLAG_BEGUN, 0), 0);
        resultPublished();
        OpenStages open = stages;
        if (open == null) {
            open = new OpenStages(idle, control);
            idle.watch(open);
            stages = open;
            abortableStages = open;
        }
        open.add(callId, task, stage, guarded);
        return true;
    }

    private void answerCompleted(OpenStages open) {
        OpenStages.Completed completed;
        while ((completed = open.poll()) != null) {
            int ended = completed.stopped() ? SlotMeta.FLAG_STOPPED : 0;
            guarded = completed.guarded();
            if (references != null) {
                Throwable failure = completed.failure();
                publishReference(
                        references,
                        completed.callId(),
                        0,
                        failure == null ? completed.value() : failureByReference(failure),
                        failure != null,
                        ended);
            } else {
                answerCompleted(completed, ended);
            }
        }
    }

    private void answerCompleted(OpenStages.Completed completed, int ended) {
        ValueCodec codec = java.util.Objects.requireNonNull(completed.task().codec());
        Throwable failure = completed.failure();
        bufferCall = completed.callId();
        if (failure == null) {
            try {
                codec.encode(completed.value(), result);
                detachFromBuffers(completed.callId());
            } catch (Throwable e) {
                failure = e;
            }
        }
        if (failure != null) {
            exhausted |= failure instanceof OutOfMemoryError && gate == null; // see run
            codec.encodeFailure(failure, result);
        }
        endBuffers(completed.callId());
        answer(completed.callId(), 0, codec, failure != null, ended);
    }

    /** Publishes the results that were kept; whether there were any. */
    private boolean deliver(HeldResults kept) {
        boolean any = false;
        HeldResults.Held next;
        while ((next = kept.poll()) != null) {
            any = true;
            int flags = next.flags();
            if (next.payload() == null) {
                publishWord(next.callId(), next.took(), PayloadTag.REFERENCE, flags, 0);
            } else {
                boolean failed = (flags & SlotMeta.FLAG_FAILED) != 0;
                publish(next.callId(), next.took(), next.codec(), failed, flags, next.payload());
            }
        }
        return any;
    }

    private void publish(long callId, int took, ValueCodec codec, boolean failed, int ended, Payload result) {
        boolean failure = failed;
        long span = -1;
        if (result.bodyLength > SlotLayout.INLINE_BYTES) {
            try {
                span = awaitSpan(result);
                if (Faults.ENABLED) {
                    Faults.hit(FaultPoint.RESULT_SPAN_WRITTEN);
                }
                if (span < 0) {
                    failure = true;
                    codec.encodeFailure(arenaFull(result.bodyLength), result);
                    span = result.bodyLength > SlotLayout.INLINE_BYTES ? awaitSpan(result) : -1;
                }
            } catch (KnittingException e) { // no pages for a span: whoever waits must hear at least that
                failure = true;
                codec.encodeFailure(inSlot(e), result);
            }
        }
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.RESULT_ENCODED);
        }
        if (failure) {
            lane.addCounterOpaque(LaneLayout.FAILED_CALLS_OFFSET, 1);
        }
        if (result.bodyLength > 0) {
            lane.addCounterOpaque(LaneLayout.BYTES_OUT_OFFSET, result.bodyLength);
        }
        awaitSlot();
        int flags = ended | (failure ? SlotMeta.FLAG_FAILED : 0);
        if (span >= 0) {
            long meta = SlotMeta.pack(took, result.tag, flags | SlotMeta.FLAG_ARENA, 0);
            results.publish(nextResult++, callId, meta, span, result.bodyLength, 0, 0, null, 0, 0);
        } else {
            int length = (int) result.bodyLength;
            long meta = length > 0
                    ? SlotMeta.pack(took, result.tag, flags | SlotMeta.FLAG_INLINE, length)
                    : SlotMeta.pack(took, result.tag, flags, result.headerLength);
            results.publish(
                    nextResult++,
                    callId,
                    meta,
                    result.word0,
                    result.word1,
                    result.word2,
                    result.word3,
                    length > 0 ? result.body : null,
                    result.bodyOffset,
                    length);
        }
        onResult(callId, failure);
        resultPublished();
    }

    private boolean runByReference(ReferenceTable table, long callId, int taskId) {
        Object value;
        boolean failed = false;
        long started = startMeasuring();
        try {
            BoundTask task = task(taskId);
            if (Faults.ENABLED) {
                Faults.hit(FaultPoint.CALL_DECODED);
            }
            onRun(callId);
            value = task.body().run(table.argument(callId));
            if (task.async()) {
                CompletionStage<?> stage = OpenStages.stage(value);
                if (!OpenStages.isDone(stage)) {
                    return isAnswered() && answerLater(callId, task, stage, started);
                }
                value = OpenStages.value(stage);
            }
        } catch (Throwable e) {
            value = failureByReference(e);
            failed = true;
        }
        if (!isAnswered()) {
            return false;
        }
        publishReference(table, callId, took(started), value, failed, leave(callId));
        return true;
    }

    private static KnittingException failureByReference(Throwable failure) {
        return failure instanceof KnittingException own
                ? own
                : new TaskFailedException(
                        failure.getClass().getName(), messageOf(failure), failure.getStackTrace(), failure);
    }

    private void publishReference(
            ReferenceTable table, long callId, int took, @Nullable Object value, boolean failed, int ended) {
        table.result(callId, value, failed);
        int flags = SlotMeta.FLAG_REFERENCE | ended | (failed ? SlotMeta.FLAG_FAILED : 0);
        if (held == null || guarded) {
            publishWord(callId, took, PayloadTag.REFERENCE, flags, 0);
        } else {
            held.add(callId, took, flags, failureCodec, null);
            leftWithoutPublication();
        }
    }

    /** The time, or 0 if this call is not measured: reading the clock twice costs as much as a fast call. */
    private long startMeasuring() {
        if (--unmeasured > 0) {
            return 0;
        }
        return System.nanoTime() | 1;
    }

    /** How long the call took, as its result says it; 0 if it was not measured. */
    private int took(long started) {
        if (started == 0) {
            return 0;
        }
        long nanos = System.nanoTime() - started;
        lane.addCounterOpaque(LaneLayout.BUSY_NANOS_OFFSET, nanos * callsPerMeasurement);
        callsPerMeasurement = nanos < FAST_NANOS ? callsPerFastMeasurement : 1;
        unmeasured = callsPerMeasurement;
        return SlotMeta.took(nanos);
    }

    private static @Nullable String messageOf(Throwable failure) {
        try {
            return failure.getMessage();
        } catch (RuntimeException | StackOverflowError e) {
            return "getMessage threw " + e.getClass().getName();
        }
    }

    /** Waits for room in the return mailbox; the host drains it whoever asks, and acknowledges what it has taken. */
    private void awaitSlot() {
        while (nextResult - returnedSeen >= SlotLayout.SLOTS) {
            returnedSeen = lane.returnedAcquire();
            if (nextResult - returnedSeen >= SlotLayout.SLOTS) {
                if (lane.isStopRequestedAcquire()) {
                    return; // nobody waits for results any more
                }
                idle.awaitHost();
            }
        }
    }

    /** A span for the result, waiting while the host holds others; -1 if the result can never fit. */
    private long awaitSpan(Payload result) {
        while (true) {
            long span = returnArena.tryWrite(result);
            if (span >= 0 || !returnArena.hasLive() || lane.isStopRequestedAcquire()) {
                return span;
            }
            idle.awaitHost();
        }
    }

    /** The failure, so short that it needs no span. */
    private static KnittingException inSlot(KnittingException failure) {
        String message = String.valueOf(failure.getMessage());
        KnittingException cut = new KnittingException(
                failure.code(), message.length() <= MOST_CHARACTERS_IN_SLOT ? message : cut(message));
        cut.setStackTrace(new StackTraceElement[0]);
        return cut;
    }

    private static String cut(String message) {
        int half = MOST_CHARACTERS_IN_SLOT / 2 - 2; // what happened stands at the start, what to change at the end
        return message.substring(0, half).concat("...").concat(message.substring(message.length() - half));
    }

    private KnittingException arenaFull(long bytes) {
        return KnittingException.of(
                ErrorCode.ARENA_FULL,
                "the result does not fit the arena",
                "length",
                bytes,
                "limit",
                config.arenaBytes(),
                "option",
                "payload.ceilingBytes");
    }

    private BoundTask task(int id) {
        if (id < tasks.length && tasks[id] != null) {
            return tasks[id];
        }
        BoundTask bound = resolver.resolve(id);
        if (id >= tasks.length) {
            tasks = Arrays.copyOf(tasks, Math.max(id + 1, tasks.length * 2));
        }
        tasks[id] = bound;
        return bound;
    }

    // ---- for debug lines

    /** The tasks known at the start are resolved. */
    void onReady() {}

    /** The stop word was seen; no call will be entered. */
    void onStop() {}

    /** The worker has nothing to do. */
    void onIdle() {}

    /** Of those that share a mailbox, this worker has claimed a call. */
    void onClaimed(long ticket) {}

    /** Another worker has claimed the call that this one saw. */
    void onClaimLost() {}

    /** A call was entered. */
    void onEntered(long callId, int taskId) {}

    /** A call's argument was decoded: the task's own code comes next. */
    void onRun(long callId) {}

    /** A call's result was published. */
    void onResult(long callId, boolean failed) {}
}

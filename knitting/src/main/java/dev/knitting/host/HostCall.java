package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.KnittingException;
import dev.knitting.Progress;
import dev.knitting.SharedBuffer;
import dev.knitting.codec.BufferAccess;
import dev.knitting.codec.BufferHandle;
import dev.knitting.mailbox.AbortLayout;
import dev.knitting.trace.CallRecording;
import dev.knitting.trace.FlightEvents;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call in the host: what crosses, where it is, and its outcome.
 *
 * <p>States, in order: OPEN → ARRIVED (the outcome is here, taken from the mailbox) → TAKEN (one thread decodes it and
 * settles the future); or OPEN → OWNED (the thread that drained it submitted it, and settles it). Settling from outside
 * (cancel, complete) may happen at any time and wins if it comes first; the outcome is then dropped when it arrives.
 *
 * <p>Settling from outside, in order: (1) a result that has come as far as this process wins; (2) say that the outcome is
 * not wanted any more; (3) stop the work: withdraw the call from the queue, or tell its worker; (4) settle, which runs
 * dependents and so comes last. The call keeps its place in the lane's table until the worker has answered.
 *
 * <p>INV-1: only the thread that moves ARRIVED to TAKEN touches the outcome afterwards. INV-2: the future is completed
 * by that thread, which is never a stranger's: it waits for this call, submitted it, or is a callback thread.
 */
final class HostCall<R extends @Nullable Object> extends Call<R> implements BufferAccess {
    private static final int OPEN = 0;
    private static final int ARRIVED = 1;
    private static final int TAKEN = 2;
    /** As TAKEN, by the drainer itself, which settles it when it has let go of the lane. */
    private static final int OWNED = 3;

    /** The future is being settled from outside: an outcome that arrives is not wanted any more. Beside abort bits. */
    private static final int SETTLING = 1 << 8;

    private static final int ABORT_BITS = SETTLING - 1;
    /** What settling from outside wants. */
    private static final int STOP_FOR_GOOD = AbortLayout.ABORT | AbortLayout.INTERRUPT | AbortLayout.SKIP | SETTLING;

    /** Not in the host's queue. */
    private static final int ELSEWHERE = 0;
    /** In the host's queue. */
    private static final int QUEUED = 1;
    /** Cancelled while in the queue: what is left there is skipped. */
    private static final int WITHDRAWN = 2;
    /** Its argument is not there yet. */
    private static final int AWAITING = 3;

    private static final VarHandle STATE;
    private static final VarHandle WANTED;
    private static final VarHandle PLACE;
    private static final VarHandle EXTRAS;
    private static final VarHandle BUFFERS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(HostCall.class, "state", int.class);
            WANTED = lookup.findVarHandle(HostCall.class, "wanted", int.class);
            PLACE = lookup.findVarHandle(HostCall.class, "place", int.class);
            EXTRAS = lookup.findVarHandle(HostCall.class, "extras", CallExtras.class);
            BUFFERS = lookup.findVarHandle(HostCall.class, "buffers", CallBuffers.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Completion completion;
    final TaskEntry task;
    /**
     * The argument, or an {@code Object[]} of captured values; the host's own copy until the call settles. Set before the
     * call is handed to the dispatcher, which orders it.
     */
    @Nullable
    Object argument;
    /** The submitting thread. */
    final Thread owner;
    /** Whether the owner sits in {@code invoke} and takes the outcome itself: nobody else may. */
    final boolean invoked;

    /** Limits of this call, or null for none; set before it is submitted. */
    @Nullable
    CallDeadlines deadlines;
    /** Slot flags of this call beyond those of its payload; set before it is submitted. */
    int flags;
    /** How many workers ended while they held the call, and how many of them had entered it. By the supervisor. */
    int deliveriesLost;

    int runsLost;

    /** Position in the lane; valid while the lane's table holds the call. */
    long ticket;
    /** Span in the lane's submit arena, or -1. */
    long span = -1;
    /** Whether the call holds one of the host queue's places; guarded by being in the queue. */
    boolean hasRoom;
    /** Link of the list that a drain returns. */
    @Nullable
    HostCall<?> nextDrained;

    /** Value, {@link RawResult} or {@link Throwable}; guarded by the state. */
    private @Nullable Object outcome;

    private boolean failed;
    /** How the work ended, if not by returning; guarded by the state as the outcome is. */
    private @Nullable Ended ended;

    /** Whether {@link #deadlineNanos} travels with the call; both are set before it is submitted. */
    boolean hasDeadline;
    /** On this process's {@code System.nanoTime()}: what {@code TaskContext.remaining()} counts down to. */
    long deadlineNanos;
    /** Microseconds that the worker needed, or -1; guarded by the state, and read when the call has settled. */
    private int runMicros = -1;

    private volatile int state;
    private volatile @Nullable Thread waiter;
    /** Abort bits and {@link #SETTLING}: what somebody wants of the call. Bits are only added. */
    private volatile int wanted;
    /** Whether the call is in the host's queue; whoever moves it on from QUEUED or AWAITING owns it. */
    private volatile int place;

    private volatile @Nullable CallExtras extras;
    /** The shared buffers that this call holds until its outcome was taken; null if it never had any. */
    private volatile @Nullable CallBuffers buffers;
    /** Null unless the flight recorder wants to know of calls. */
    private final @Nullable CallRecording recording;

    HostCall(Completion completion, TaskEntry task, @Nullable Object argument, boolean invoked) {
        this.invoked = invoked;
        this.completion = completion;
        this.task = task;
        this.argument = argument;
        this.owner = Thread.currentThread();
        this.recording = FlightEvents.recordsCalls() ? FlightEvents.call(completion.poolName(), task.target()) : null;
    }

    /** How often it may run again after its worker ended under it. */
    int retries() {
        CallDeadlines limits = deadlines;
        return limits == null ? 0 : limits.retries();
    }

    @Override
    public Optional<Duration> runTime() {
        int micros = isDone() ? runMicros : -1;
        return micros < 0 ? Optional.empty() : Optional.of(Duration.of(micros, ChronoUnit.MICROS));
    }

    // ---- arrival: by the drainer, under the lane's drain lock, or by whoever fails the call

    /** Stores the outcome; {@link #publishArrival} makes it visible. */
    void setOutcome(@Nullable Object value, boolean failure) {
        this.outcome = value;
        this.failed = failure;
    }

    /** [arrived: release] the outcome is stored before this; a full fence must follow before the waiter is read. */
    void publishArrival() {
        STATE.setRelease(this, ARRIVED);
    }

    /** Whether the calling thread submitted this call, does not sit in {@code invoke}, and nothing depends on it. */
    boolean isOwnedByCaller() {
        return owner == Thread.currentThread() && !invoked && getNumberOfDependents() == 0;
    }

    /** The drainer submitted the call itself and settles it next: nobody else may take it. */
    void takeForOwner() {
        STATE.setRelease(this, OWNED);
    }

    /** Whether the drainer is the one to settle it; false if another thread has taken it meanwhile. */
    boolean isOwnedByDrainer() {
        return state == OWNED;
    }

    boolean hasArrived() {
        // [arrived: acquire] the outcome is read after this load
        return (int) STATE.getAcquire(this) != OPEN;
    }

    /** Whether nothing is left to wait for. */
    boolean isSettledOrArrived() {
        return hasArrived() || isDone();
    }

    @Nullable
    Thread waiter() {
        return waiter;
    }

    /** Registers the calling thread as the one to be woken; false if another one is. */
    boolean tryBecomeWaiter() {
        if (waiter != null) {
            return false;
        }
        waiter = Thread.currentThread();
        return true;
    }

    void stopWaiting() {
        waiter = null;
    }

    /** Claims the outcome for the calling thread. */
    private boolean tryTake() {
        return state == ARRIVED && STATE.compareAndSet(this, ARRIVED, TAKEN);
    }

    /** Settles the future with the arrived outcome, unless another thread does. Runs dependents. */
    void settle() {
        if (tryTake()) {
            reportEnd();
            settleTaken();
        }
    }

    /** Settles the future with an outcome that the calling thread has taken. Runs dependents. */
    void settleTaken() {
        if ((wanted & SETTLING) != 0) {
            dropTaken();
            VarHandle.fullFence(); // as completing would be: see the callers
            return;
        }
        Object value;
        try {
            value = decoded();
        } catch (Throwable e) {
            super.completeExceptionally(e);
            return;
        }
        if (failed) {
            super.completeExceptionally((Throwable) Objects.requireNonNull(value));
        } else {
            super.complete(cast(value));
        }
    }

    /** For {@code invoke}: the arrived outcome, returned or thrown; the future stays as it is. */
    R takeForInvoke() {
        if (deadlines == null) {
            STATE.setOpaque(this, TAKEN); // no race: nobody else takes the outcome of an invoked call
        } else {
            boolean taken = tryTake();
            if (!taken || (wanted & SETTLING) != 0) { // its timeout came first, and settles it at this moment
                if (taken) {
                    dropTaken(); // what the task made of being told to stop
                }
                awaitSettled();
                return resultForInvoke();
            }
        }
        Object value = decoded();
        if (failed) {
            throw Failures.forCaller((Throwable) Objects.requireNonNull(value));
        }
        return cast(value);
    }

    private void awaitSettled() {
        try {
            super.join();
        } catch (CompletionException | CancellationException e) {
            // the outcome is asked for next, and thrown as the caller is to see it
        }
    }

    private @Nullable Object decoded() {
        try {
            return decodedWithBuffers();
        } finally {
            letGoOfBuffers();
        }
    }

    private void letGoOfBuffers() {
        CallBuffers had = buffers;
        if (had != null) {
            had.letGo();
        } else if (ended == Ended.NEVER_RAN) {
            CallBuffers.letGoOfUnsent(argument);
        }
    }

    private @Nullable Object decodedWithBuffers() {
        Object value = outcome;
        outcome = null;
        KnittingException verdict = deadlines == null ? null : deadlines.verdict();
        if (verdict != null) { // what a task makes of its interrupt is no result
            if (value instanceof RawResult raw) {
                raw.release();
            }
            failed = true;
            onSettled(verdict, true);
            return verdict;
        }
        if (value instanceof RawResult raw) {
            try {
                value = task.decode(raw, failed, buffers);
            } catch (Throwable e) {
                onSettled(e, true);
                throw e;
            }
        }
        onSettled(value, failed);
        return value;
    }

    // ---- for the flight recorder

    /** A worker's result has come. */
    void onResult(int worker, int micros) {
        runMicros = micros; // the arrival publishes it
        if (recording != null) {
            recording.ran(worker, micros);
        }
    }

    /** The outcome is known, and will be the future's unless that was settled meanwhile. */
    private void onSettled(@Nullable Object value, boolean failure) {
        if (recording != null) {
            recording.settled(failure ? Failures.nameOf(value) : "OK");
        }
    }

    /** Drops an outcome that nobody wants any more: the future was settled from outside. */
    void dropOutcome() {
        if (tryTake()) {
            reportEnd();
            dropTaken();
        }
    }

    /** As {@link #dropOutcome}, by the thread that has taken it. */
    void dropTaken() {
        if (outcome instanceof RawResult raw) {
            raw.release();
        }
        outcome = null;
        letGoOfBuffers();
    }

    // ---- shared buffers

    /** The buffers that this call holds. Any thread, as long as the call is in a lane's table or on its way there. */
    CallBuffers callBuffers() {
        CallBuffers known = buffers;
        if (known != null) {
            return known;
        }
        CallBuffers made = new CallBuffers(completion::buffers);
        return BUFFERS.compareAndSet(this, null, made) ? made : Objects.requireNonNull(buffers);
    }

    /** The worker ended: what its task had is gone. */
    void runsAgain() {
        CallBuffers had = buffers;
        if (had != null) {
            had.runsAgain();
        }
    }

    /** While the argument is encoded. */
    @Override
    public boolean mayLeave(BufferHandle whole) {
        return callBuffers().mayLeave(whole);
    }

    @Override
    public @Nullable SharedBuffer arriving(long id, long start, long size) {
        CallBuffers had = buffers;
        return had == null ? null : had.arriving(id, start, size);
    }

    /** Settles the future with a value of the task's result type, as {@link #complete}. */
    boolean completeWith(@Nullable Object value) {
        return complete(cast(value));
    }

    /** The value as the caller's result type: the codec decodes what the task's signature declares. */
    @SuppressWarnings({"unchecked", "NullAway"})
    private R cast(@Nullable Object value) {
        return (R) value;
    }

    // ---- waiting

    @Override
    public R join() {
        if (!isDone()) {
            completion.awaitUninterruptibly(this);
            if (!isDone()) {
                extras().signal(this).awaitUninterruptibly(); // not in super: it would run callbacks on this thread
            }
        }
        return super.join();
    }

    @Override
    public R get() throws InterruptedException, ExecutionException {
        if (!isDone()) {
            awaitDone(Completion.NO_DEADLINE);
        }
        return super.get();
    }

    @Override
    public R get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = Deadline.after(timeout, unit);
        if (!isDone()) {
            awaitDone(deadline);
        }
        if (!isDone()) {
            throw new TimeoutException();
        }
        return super.get();
    }

    private void awaitDone(long deadline) throws InterruptedException {
        completion.awaitInterruptibly(this, deadline);
        if (!isDone()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            extras().signal(this).await(deadline); // not in super: it would run callbacks on this thread
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new DependentFuture<>(completion);
    }

    @Override
    public Executor defaultExecutor() {
        Executor chosen = completion.callbackExecutor();
        return chosen == null ? super.defaultExecutor() : chosen;
    }

    // ---- settling from outside

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        int stop = AbortLayout.ABORT | AbortLayout.SKIP | (mayInterruptIfRunning ? AbortLayout.INTERRUPT : 0);
        if (letResultWin()) {
            if (isCancelled()) {
                want(stop); // cancelled before, perhaps without an interrupt
            }
            return isCancelled();
        }
        want(stop | SETTLING);
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            onSettled(new CancellationException(), true);
        }
        completion.settledFromOutside(this);
        return cancelled;
    }

    @Override
    public boolean complete(R value) {
        if (letResultWin()) {
            return false;
        }
        want(STOP_FOR_GOOD);
        boolean completed = super.complete(value);
        if (completed) {
            onSettled(value, false);
        }
        completion.settledFromOutside(this);
        return completed;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (letResultWin()) {
            return false;
        }
        want(STOP_FOR_GOOD);
        boolean completed = super.completeExceptionally(failure);
        if (completed) {
            onSettled(failure, true);
        }
        completion.settledFromOutside(this);
        return completed;
    }

    /** As the JDK's, but by way of {@link #complete}: a value from elsewhere stops the work. */
    @Override
    public CompletableFuture<R> completeAsync(Supplier<? extends R> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            if (isDone()) {
                return;
            }
            R value;
            try {
                value = supplier.get();
            } catch (Throwable e) {
                completeExceptionally(new CompletionException(e));
                return;
            }
            complete(value);
        });
        return this;
    }

    @Override
    public CompletableFuture<R> completeAsync(Supplier<? extends R> supplier) {
        return completeAsync(supplier, defaultExecutor());
    }

    /** A result that has come as far as this process settles the call before anybody else does; whether it is settled. */
    private boolean letResultWin() {
        if (!isDone() && !hasArrived()) {
            completion.lookForResults();
        }
        if (!isDone()) {
            settle();
        }
        return isDone();
    }

    @Override
    public void obtrudeValue(R value) {
        throw new UnsupportedOperationException("a call's outcome cannot be replaced");
    }

    @Override
    public void obtrudeException(Throwable failure) {
        throw new UnsupportedOperationException("a call's outcome cannot be replaced");
    }

    /** The call ends here, in the host, before any worker entered it: whoever calls this delivers it afterwards. */
    void fail(Throwable failure) {
        fail(failure, Ended.NEVER_RAN);
    }

    /** The call fails for a reason of the pool's: whoever calls this delivers it afterwards. */
    void fail(Throwable failure, Ended how) {
        endedAs(how);
        failAsEnded(failure);
    }

    /** As {@link #fail(Throwable, Ended)}, after {@link #endedAs}. */
    void failAsEnded(Throwable failure) {
        CallDeadlines limits = deadlines;
        if (limits != null) {
            limits.arrived();
        }
        setOutcome(failure, true);
        publishArrival();
    }

    // ---- asking the work to stop

    @Override
    public boolean abort(String reason) {
        Objects.requireNonNull(reason, "reason");
        if (letResultWin()) {
            return false;
        }
        extras().abortReason(reason);
        want(AbortLayout.ABORT);
        return true;
    }

    /**
     * Wants something of the call, wherever it is: withdraws it from the queue, or tells its worker. Nothing happens to a
     * call that has ended.
     *
     * @param bits of {@link AbortLayout}, and SETTLING
     */
    private void want(int bits) {
        int before = (int) WANTED.getAndBitwiseOr(this, bits); // and a full fence: wanted -> look where the call is
        if ((before | bits) != before) {
            pursue();
        }
    }

    /**
     * After the call has changed its place, when somebody may have its future already: does what was wanted meanwhile.
     * Partner of {@link #want}.
     */
    void recheck() {
        VarHandle.fullFence(); // placed -> look at what is wanted
        if (isToStop()) {
            pursue();
            VarHandle
                    .fullFence(); // withdrawn, perhaps -> look whether it is settled; partner: settled -> look at state
            if (isDone()) {
                dropOutcome(); // who settled it came too early to do so
            }
        }
    }

    /** Whether somebody wants the work to stop. */
    boolean isToStop() {
        return (wanted & ABORT_BITS) != 0;
    }

    private void pursue() {
        int what = wanted & ABORT_BITS;
        if ((what & AbortLayout.SKIP) != 0) {
            if (completion.withdraw(this)) {
                return;
            }
            if (place == AWAITING && PLACE.compareAndSet(this, AWAITING, WITHDRAWN)) {
                neverRan();
                return;
            }
        }
        CallExtras asked = extras;
        completion.tellWorker(this, what, asked == null ? "" : asked.abortReason());
    }

    /** Whether the call is wanted no more and need not run: it is settled, or about to be. */
    boolean isUnwanted() {
        return isDone() || (wanted & SETTLING) != 0;
    }

    // ---- an argument to wait for

    /** Before the call is known to anybody else. */
    void awaitArgument() {
        place = AWAITING;
    }

    /** The argument is there, or will never be; false if the call was cancelled before. */
    boolean tryStopAwaiting() {
        return PLACE.compareAndSet(this, AWAITING, ELSEWHERE);
    }

    // ---- the host's queue

    void enterQueue() {
        place = QUEUED;
    }

    /** Takes the call out of the queue's hands; false if it was withdrawn. */
    boolean tryLeaveQueue() {
        return PLACE.compareAndSet(this, QUEUED, ELSEWHERE);
    }

    /** Withdraws a call that nobody wants from the queue; false if it is not there. */
    boolean tryWithdraw() {
        return place == QUEUED && PLACE.compareAndSet(this, QUEUED, WITHDRAWN);
    }

    boolean isWithdrawn() {
        return place == WITHDRAWN;
    }

    /** The call will never run, and nobody waits for its outcome: whoever settles it from outside finds this. */
    void neverRan() {
        endedAs(Ended.NEVER_RAN);
        publishArrival();
    }

    // ---- the end of the work, progress

    /** How the work ended; before the outcome is published. */
    void endedAs(Ended how) {
        this.ended = how;
    }

    /** How the work ended; after {@link #hasArrived}. */
    private Ended how() {
        Ended known = ended;
        return known == null ? Ended.RETURNED : known;
    }

    /** By the thread that has taken the outcome, after a full fence. Partner of {@link #ended()}. */
    void reportEnd() {
        CallExtras asked = extras;
        if (asked != null) {
            asked.end(how());
        }
    }

    @Override
    public CompletableFuture<Ended> ended() {
        if (hasArrived()) {
            return CompletableFuture.completedFuture(how());
        }
        CallExtras asked = extras();
        VarHandle.fullFence(); // extras -> look whether it has arrived; partner: arrived -> look at extras
        if (hasArrived()) {
            asked.endNow(how());
        }
        return asked.ended();
    }

    @Override
    public Call<R> onProgress(Consumer<? super Progress> listener) {
        extras().listen(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /** The task has reported. */
    void progressed(long position, Progress report) {
        extras().progressed(position, report);
    }

    private CallExtras extras() {
        CallExtras known = extras;
        if (known != null) {
            return known;
        }
        CallExtras made = new CallExtras(completion);
        return EXTRAS.compareAndSet(this, null, made) ? made : Objects.requireNonNull(extras);
    }

    /** For {@code invoke}: the result of a call that is settled, returned or thrown. */
    R resultForInvoke() {
        if (isCancelled()) {
            throw new CancellationException();
        }
        if (isCompletedExceptionally()) {
            throw Failures.forCaller(exceptionNow());
        }
        return resultNow();
    }
}

package dev.knitting.host;

import dev.knitting.Call;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One call in the host: what crosses, where it is, and its outcome.
 *
 * <p>States, in order: OPEN → ARRIVED (the outcome is here, taken from the mailbox) → TAKEN (one thread decodes it and
 * settles the future); or OPEN → OWNED (the thread that drained it submitted it, and settles it). Settling from outside (cancel, complete) may happen at any time and wins if it comes first; the
 * outcome is then dropped when it arrives.
 *
 * <p>INV-1: only the thread that moves ARRIVED to TAKEN touches the outcome afterwards. INV-2: the future is completed
 * by that thread, which is never a stranger's: it waits for this call, submitted it, or is a callback thread.
 */
final class HostCall<R extends @Nullable Object> extends Call<R> {
    private static final int OPEN = 0;
    private static final int ARRIVED = 1;
    private static final int TAKEN = 2;
    /** As TAKEN, by the drainer itself, which settles it when it has let go of the lane. */
    private static final int OWNED = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(HostCall.class, "state", int.class);
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
    private volatile int state;
    private volatile @Nullable Thread waiter;

    HostCall(Completion completion, TaskEntry task, @Nullable Object argument, boolean invoked) {
        this.invoked = invoked;
        this.completion = completion;
        this.task = task;
        this.argument = argument;
        this.owner = Thread.currentThread();
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
            settleTaken();
        }
    }

    /** Settles the future with an outcome that the calling thread has taken. Runs dependents. */
    void settleTaken() {
        Object value;
        try {
            value = decoded();
        } catch (Throwable e) {
            super.completeExceptionally(e);
            return;
        }
        if (failed) {
            super.completeExceptionally((Throwable) java.util.Objects.requireNonNull(value));
        } else {
            super.complete(cast(value));
        }
    }

    /** For {@code invoke}: the arrived outcome, returned or thrown; the future stays as it is. */
    R takeForInvoke() {
        STATE.setOpaque(this, TAKEN); // no race: nobody else takes the outcome of an invoked call
        Object value = decoded();
        if (failed) {
            throw Failures.forCaller((Throwable) java.util.Objects.requireNonNull(value));
        }
        return cast(value);
    }

    private @Nullable Object decoded() {
        Object value = outcome;
        outcome = null;
        return value instanceof RawResult raw ? task.decode(raw, failed) : value;
    }

    /** Drops an outcome that nobody wants any more: the future was settled from outside. */
    void dropOutcome() {
        if (tryTake()) {
            dropTaken();
        }
    }

    /** As {@link #dropOutcome}, by the thread that has taken it. */
    void dropTaken() {
        if (outcome instanceof RawResult raw) {
            raw.release();
        }
        outcome = null;
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
        }
        return super.join();
    }

    @Override
    public R get() throws InterruptedException, ExecutionException {
        if (!isDone()) {
            completion.awaitInterruptibly(this, Completion.NO_DEADLINE);
        }
        return super.get();
    }

    @Override
    public R get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        if (!isDone()) {
            completion.awaitInterruptibly(this, deadline);
        }
        return super.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new DependentFuture<>(completion);
    }

    // ---- settling from outside

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        completion.settledFromOutside(this);
        return cancelled;
    }

    @Override
    public boolean complete(R value) {
        boolean completed = super.complete(value);
        completion.settledFromOutside(this);
        return completed;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        boolean completed = super.completeExceptionally(failure);
        completion.settledFromOutside(this);
        return completed;
    }

    @Override
    public void obtrudeValue(R value) {
        throw new UnsupportedOperationException("a call's outcome cannot be replaced");
    }

    @Override
    public void obtrudeException(Throwable failure) {
        throw new UnsupportedOperationException("a call's outcome cannot be replaced");
    }

    /** The call ends here, in the host: whoever calls this delivers it afterwards. */
    void fail(Throwable failure) {
        setOutcome(failure, true);
        publishArrival();
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

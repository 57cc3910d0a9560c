package dev.knitting;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One submission: a {@link CompletableFuture} that settles exactly once with the task's result or the true reason why
 * there is none.
 *
 * <p>{@code join} and {@code get} help the pool before they park. A failed call completes with a {@link
 * KnittingException} ({@link TaskFailedException} for the task's own exception); a cancelled one with a {@link
 * java.util.concurrent.CancellationException}.
 *
 * <p>Settling it from outside ({@code complete}, {@code completeExceptionally}, {@code orTimeout}, {@code
 * completeOnTimeout}) stops the work as {@link #cancel cancel(true)} does; {@code obtrude*} is refused. Cancelling a
 * dependent stage does not reach the call; an interrupted {@code get} does not cancel it, {@code join} ignores interrupts.
 *
 * <p>Callbacks run on the pool's completion threads, or on the thread that adds them to a finished call, or that settles
 * it from outside; never on a stranger that happened to be helping. A callback may block: it delays no other call. The
 * {@code *Async} methods without an executor use the pool's {@linkplain PoolBuilder#callbackExecutor callback executor},
 * else the JDK's default.
 *
 * @param <R> the result's type
 */
public abstract class Call<R> extends CompletableFuture<R> {
    /** For the engine. */
    protected Call() {}

    /**
     * Cancels the call: the future settles at once, and the work is asked to stop. A call that was not entered by a worker
     * does not run any more. One that runs sees {@link TaskContext#cancelled()}, and its thread is interrupted if so
     * wished. One that has finished keeps its result.
     *
     * @param mayInterruptIfRunning whether to interrupt the task's thread too
     * @return whether the call is cancelled now; false if its result was faster
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return super.cancel(mayInterruptIfRunning);
    }

    /**
     * Asks the task to stop without settling the call: {@link TaskContext#cancelled()} becomes true, and the task's own
     * outcome settles the call. A call that waits runs all the same, and sees the flag.
     *
     * @param reason for the task: the message of what {@link TaskContext#throwIfCancelled()} throws; its first 48 bytes
     *     as UTF-8 cross; the first reason counts
     * @return whether the call was open, so that the task may see it
     */
    public abstract boolean abort(String reason);

    /**
     * Completes when no worker runs the call any more, which may be later than the call itself settles: a cancelled task
     * may need time to stop. Never fails. Its callbacks run on the pool's completion threads, or on the thread that adds
     * them afterwards.
     *
     * @return a future of the caller's own: whatever is done to it, the call does not notice
     */
    public abstract CompletableFuture<Ended> ended();

    /**
     * Listens to what the task {@linkplain TaskContext#progress says} about how far it is. A listener is called on the
     * pool's completion threads, by one at a time, in order; when it is slower than the task, only the latest report
     * counts. A report that came before is repeated to it. What it throws is logged.
     *
     * @return this call
     */
    public abstract Call<R> onProgress(Consumer<? super Progress> listener);

    /**
     * How long the task ran in its worker, to the microsecond or 0.1 %, whichever is more, and at most 35 minutes; taking
     * the argument apart and putting the result together are part of it, waiting is not.
     *
     * @return empty while the call has not settled, if it settled without an outcome from a worker (worker died,
     *     cancelled, timed out), or if the worker did not measure it: of calls of less than 20 µs it measures one in
     *     sixteen, unless the pool says {@link TuningOptions#measureEachCall}
     */
    public Optional<Duration> runTime() {
        return Optional.empty();
    }
}

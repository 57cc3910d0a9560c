package dev.knitting;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Workers that run {@linkplain Task tasks}: threads of this JVM or child processes, behind one interface.
 *
 * <p>Any number of platform and virtual threads may use a pool at once. A forgotten pool does not keep the JVM alive,
 * and its workers die with the host; one that nobody can reach any more is closed as if by {@link #close}, some time after
 * a collection of garbage has found that out, and that is logged as a warning.
 */
public interface Pool extends AutoCloseable {
    /**
     * A pool of worker threads.
     *
     * @param workers how many, 1 to 256
     */
    static PoolBuilder threads(int workers) {
        return new PoolBuilder(Isolation.THREADS).workers(workers);
    }

    /** A pool of worker processes, half as many as the machine has cores, at least one. */
    static PoolBuilder processes() {
        return processes(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /**
     * A pool of worker processes.
     *
     * @param workers how many, 1 to 256
     */
    static PoolBuilder processes(int workers) {
        return new PoolBuilder(Isolation.PROCESSES).workers(workers);
    }

    /** A pool whose isolation is decided by configuration. */
    static PoolBuilder of(Isolation isolation) {
        return new PoolBuilder(isolation);
    }

    /**
     * A pool for tests: runs each call on the submitting thread, in order, without timers, copying payloads through the
     * codec as process workers would see them.
     */
    static Pool direct() {
        return threads(1).name("direct").direct();
    }

    /**
     * Makes memory that host and workers see at the same time, zeroed. Close it, or {@linkplain SharedBuffer#move move} it;
     * closing the pool closes it.
     *
     * @param bytes its length, from 1; whole pages of 4 KiB are taken
     * @throws KnittingException {@link ErrorCode#ARENA_FULL} if {@link PayloadOptions#buffersBytes} are in use, {@link
     *     ErrorCode#OUT_OF_SHARED_MEMORY} if the machine has no memory, {@link ErrorCode#POOL_CLOSED}, {@link
     *     ErrorCode#BAD_OPTION} if the pool's workers have a segment each ({@code segmentPerWorker}, a sandbox): what the
     *     host allocates would be in none of them
     * @throws IllegalArgumentException if the length is not positive
     */
    SharedBuffer allocate(long bytes);

    /**
     * Submits a call and does not wait.
     *
     * @return the call; runtime failures (pool closed, queue full, payload) arrive through it
     * @throws NullPointerException if the task is null
     */
    <A extends @Nullable Object, R extends @Nullable Object> Call<R> submit(Task<A, R> task, A argument);

    /** Submits a call without an argument and does not wait. As {@link #submit(Task, Object)}. */
    <R extends @Nullable Object> Call<R> submit(Task<Void, R> task);

    /**
     * Submits a lambda: what it captures are the arguments, its body runs in the worker.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if it captures a value that cannot cross
     */
    <R extends @Nullable Object> Call<R> submit(Task.Source<R> lambda);

    /**
     * Submits a call whose argument is still being computed: the call runs once the stage has it.
     *
     * <p>A failed stage fails the call with the same exception and no worker ever runs it; so does closing the pool
     * before the stage completes, since a call without its argument is no open work. A call that was cancelled ignores
     * what the stage brings. If the queue is full when the stage completes, its thread does not wait.
     *
     * @return the call; runtime failures arrive through it
     * @throws NullPointerException if the task or the stage is null
     */
    <A extends @Nullable Object, R extends @Nullable Object> Call<R> submitWhen(
            Task<A, R> task, CompletionStage<? extends A> argument);

    /**
     * Submits one call for each argument and does not wait for results.
     *
     * @return the calls, in the order of the arguments
     * @throws NullPointerException if the task or the collection is null
     */
    <A extends @Nullable Object, R extends @Nullable Object> List<Call<R>> submitAll(
            Task<A, R> task, Collection<? extends A> arguments);

    /**
     * Runs a task over a stream: lazy, in order, and with a bounded number of calls ahead of the consumer (32 a
     * worker), so that streams of any length need constant memory. A failed element does not end the stream.
     *
     * <p>The stream is sequential; whoever pulls an outcome waits for it, and an interrupt while waiting ends it with
     * {@link ErrorCode#INTERRUPTED}, flag kept. If the source throws, what was submitted before comes first. Close the
     * stream (try-with-resources) to cancel calls whose outcome was not consumed; the source is closed with it.
     *
     * @throws NullPointerException if the task or the stream is null
     */
    <A extends @Nullable Object, R extends @Nullable Object> Stream<Outcome<A, R>> map(
            Task<A, R> task, Stream<? extends A> arguments);

    /**
     * Runs a call and waits for its result: the lowest latency. An interrupt while waiting keeps the flag and throws
     * {@link ErrorCode#INTERRUPTED}.
     *
     * @return the task's result
     * @throws TaskFailedException if the task threw
     * @throws KnittingException for every other failure
     */
    <A extends @Nullable Object, R extends @Nullable Object> R invoke(Task<A, R> task, A argument);

    /** Runs a call without an argument and waits. As {@link #invoke(Task, Object)}. */
    <R extends @Nullable Object> R invoke(Task<Void, R> task);

    /** Runs a lambda in a worker and waits. As {@link #submit(Task.Source)} and {@link #invoke(Task, Object)}. */
    <R extends @Nullable Object> R invoke(Task.Source<R> lambda);

    /**
     * What stands for a service in the host: each method is a call that runs in a worker. Blocking methods behave like
     * {@link #invoke(Task, Object)}, but a declared exception arrives as itself; asynchronous ones return a {@link
     * Call}. Always the same object for one service; any thread may use it.
     *
     * @param type a service that the pool was opened with
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if it was not, see {@link PoolBuilder#service}
     */
    <S> S service(Class<S> type);

    /**
     * Replaces every worker, e.g. after its classes were exchanged. Returns at once: a call submitted afterwards runs in a
     * worker that was started afterwards. Calls that run are finished first; no call fails. Does nothing to a closed pool.
     */
    void recycle();

    /**
     * The pool as an {@link ExecutorService}. Pools of threads take any task. Pools that copy take {@link Task#bind} and
     * {@link Task.Source} lambdas ({@link Task.Bound#toRunnable} for {@code execute}); any other {@code Runnable} or {@code
     * Callable} cannot leave the host and is rejected by the name of its class.
     *
     * <p>Each call gives another view with a life of its own: shutting it down refuses new tasks through it, {@code
     * awaitTermination} and {@code close} wait for those that came through it, and the pool stays open. An executor of a
     * closed pool is shut down. The futures behave as those of {@code java.util.concurrent}: the cause of their {@code
     * ExecutionException} is the task's own exception if the host may have it, else the {@link TaskFailedException}.
     */
    ExecutorService asExecutor();

    /** Whether {@code close} or one of its kin was called. */
    boolean isClosed();

    /** Where the workers live. */
    Isolation isolation();

    /** How many workers the pool keeps. */
    int workers();

    /**
     * Refuses new calls, waits for the submitted ones, stops the workers and releases everything. Never throws because
     * a call failed. An interrupt turns it into {@link #shutdownNow}, flag kept.
     */
    @Override
    void close();

    /**
     * As {@link #close}, but waits at most so long; what has not settled then fails with {@link ErrorCode#POOL_CLOSED}.
     *
     * @return whether every call had settled in time
     */
    boolean shutdown(Duration timeout);

    /** Fails every open call with {@link ErrorCode#POOL_CLOSED}, stops the workers and releases everything. */
    void shutdownNow();
}

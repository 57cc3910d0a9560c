package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Outcome;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.SharedBuffer;
import dev.knitting.Task;
import dev.knitting.TaskOptions;
import java.lang.ref.Reference;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The pool that users hold: calls go to the {@link Dispatcher}, waiting is {@link Completion}'s. */
final class DefaultPool implements Pool, ServiceCaller {
    private final PoolOptions options;
    private final TaskCatalog catalog;
    private final Dispatcher dispatcher;
    private final Completion completion;
    private final CallLimits limits;
    private final Engine engine;
    private final AwaitedArguments awaited;
    private final ServiceTable services;
    /** Null unless calls bring a context. */
    private final @Nullable ContextCapture context;

    @SuppressWarnings("this-escape") // the table keeps this pool for its stand-ins and calls nothing
    DefaultPool(
            PoolOptions options,
            TaskCatalog catalog,
            Map<Class<?>, Map<Method, TaskEntry>> services,
            Dispatcher dispatcher,
            Completion completion,
            CallLimits limits,
            Engine engine) {
        this.options = options;
        this.catalog = catalog;
        this.dispatcher = dispatcher;
        this.completion = completion;
        this.limits = limits;
        this.engine = engine;
        this.awaited = new AwaitedArguments(dispatcher, completion);
        this.services = new ServiceTable(services, this, options.name());
        this.context = catalog.context();
        ForgottenPool.watch(this, options.name(), dispatcher, engine);
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        HostBuffers from = completion.buffers();
        if (from == null) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "workers that have a segment each have no memory in common",
                    "what",
                    "allocate",
                    "pool",
                    options.name(),
                    "option",
                    "segmentPerWorker or sandbox, with more than one worker");
        }
        if (isClosed()) {
            throw Failures.poolClosed(options.name());
        }
        HostBuffer made = from.make(bytes);
        HostHandle handle = made.side(made.start(), made.size());
        if (handle == null) {
            throw Failures.poolClosed(options.name());
        }
        return handle;
    }

    /** The buffers of the worker with this number, for tests. */
    HostBuffers buffersOf(int worker) {
        return engine.buffersOf(worker);
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submit(Task<A, R> task, A argument) {
        return start(task, argument, false);
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task<Void, R> task) {
        return start(task, null, false);
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task.Source<R> lambda) {
        return start(lambda, false);
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submitWhen(
            Task<A, R> task, CompletionStage<? extends A> argument) {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(argument, "argument");
        TaskEntry entry;
        try {
            entry = catalog.entry(task);
        } catch (KnittingException e) {
            return failed(e);
        } catch (IllegalStateException e) {
            return failed(closedMeanwhile(e));
        }
        CompletionStage<?> travelling = argument;
        if (context != null) {
            try {
                String[] captured = context.capture();
                travelling = argument.thenApply(value -> ContextCapture.wrap(captured, entry, value));
            } catch (KnittingException e) {
                return failed(e);
            }
        }
        HostCall<R> call = new HostCall<>(completion, entry, null, false);
        TaskOptions asked = task.options();
        if (limits.apply(asked) && !limits.give(call, asked)) {
            return call;
        }
        // Whoever has the call or its stage has the pool: closing does not wait for a call without its argument.
        var _ = call.whenComplete((value, failure) -> stayReachable());
        return awaited.submit(call, travelling);
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> List<Call<R>> submitAll(
            Task<A, R> task, Collection<? extends A> arguments) {
        Objects.requireNonNull(task, "task");
        List<Call<R>> calls = new ArrayList<>(arguments.size());
        for (A argument : arguments) {
            calls.add(start(task, argument, false));
        }
        return calls;
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Stream<Outcome<A, R>> map(
            Task<A, R> task, Stream<? extends A> arguments) {
        return MappedStream.over(this, task, arguments);
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> R invoke(Task<A, R> task, A argument) {
        return await(this.<R>start(task, argument, true));
    }

    @Override
    public <R extends @Nullable Object> R invoke(Task<Void, R> task) {
        return await(this.<R>start(task, null, true));
    }

    @Override
    public <R extends @Nullable Object> R invoke(Task.Source<R> lambda) {
        return await(this.<R>start(lambda, true));
    }

    @Override
    public <S> S service(Class<S> type) {
        return services.get(type, options.name());
    }

    @Override
    public Call<?> submitEntry(TaskEntry entry, @Nullable Object argument) {
        return this.<@Nullable Object>start(entry, argument, false, TaskOptions.NONE);
    }

    @Override
    public @Nullable Object invokeEntry(TaskEntry entry, @Nullable Object argument) {
        return await(this.<@Nullable Object>start(entry, argument, true, TaskOptions.NONE));
    }

    private <R extends @Nullable Object> HostCall<R> start(
            Task<?, ?> task, @Nullable Object argument, boolean invoked) {
        Objects.requireNonNull(task, "task");
        TaskEntry entry;
        try {
            entry = catalog.entry(task);
        } catch (KnittingException e) {
            return failed(e);
        } catch (IllegalStateException e) {
            return failed(closedMeanwhile(e));
        }
        return start(entry, argument, invoked, task.options());
    }

    private <R extends @Nullable Object> HostCall<R> start(
            TaskEntry entry, @Nullable Object argument, boolean invoked, TaskOptions asked) {
        Object travelling = argument;
        if (context != null) {
            try {
                travelling = ContextCapture.wrap(context.capture(), entry, argument);
            } catch (KnittingException e) {
                return failed(e);
            }
        }
        return dispatch(new HostCall<>(completion, entry, travelling, invoked), asked);
    }

    private <R extends @Nullable Object> HostCall<R> start(Task.Source<R> lambda, boolean invoked) {
        Objects.requireNonNull(lambda, "lambda");
        LambdaCalls.Parts parts = LambdaCalls.takeApart(lambda);
        TaskEntry entry;
        try {
            entry = catalog.lambdaEntry(parts.target(), lambda.getClass().getClassLoader());
        } catch (KnittingException e) {
            return failed(LambdaCalls.unlessBadLambda(e));
        } catch (IllegalStateException e) {
            return failed(closedMeanwhile(e));
        }
        return start(entry, entry.spreads() ? parts.captured() : lambda, invoked, TaskOptions.NONE);
    }

    /** What holds a reference to this method holds the pool. */
    private void stayReachable() {}

    /** A closed pool has no memory to announce a new task in. */
    private KnittingException closedMeanwhile(IllegalStateException reason) {
        if (dispatcher.isClosed()) {
            return Failures.poolClosed(options.name());
        }
        throw reason;
    }

    /** A call that is not on its way yet: {@link #dispatch} brings it there. */
    <R extends @Nullable Object> HostCall<R> prepared(Task<?, R> task, @Nullable Object argument) {
        return new HostCall<>(completion, catalog.entry(task), argument, false);
    }

    <R extends @Nullable Object> HostCall<R> dispatch(HostCall<R> call, TaskOptions options) {
        if (limits.apply(options) && !limits.give(call, options)) {
            return call;
        }
        try {
            dispatcher.submit(call);
            completion.submitted();
        } finally {
            Reference.reachabilityFence(this); // not forgotten before the call is in: closing then waits for it
        }
        return call;
    }

    private <R extends @Nullable Object> HostCall<R> failed(KnittingException failure) {
        HostCall<R> call = new HostCall<>(completion, TaskEntry.UNKNOWN, null, false);
        call.fail(failure);
        completion.deliver(call);
        return call;
    }

    private <R extends @Nullable Object> R await(HostCall<R> call) {
        if (!call.isDone()) {
            completion.awaitArrival(call, true, Completion.NO_DEADLINE);
        }
        if (call.isDone()) {
            return call.resultForInvoke();
        }
        if (!call.hasArrived()) {
            if (call.cancel(true)) {
                throw Failures.interrupted(call.task);
            }
            return call.resultForInvoke(); // the result was faster than the interrupt
        }
        return call.takeForInvoke();
    }

    /** Entries of the host's queue, withdrawn ones too; takes long. */
    int queueLength() {
        return dispatcher.queueLength();
    }

    @Override
    public void recycle() {
        engine.recycle();
    }

    @Override
    public ExecutorService asExecutor() {
        return new PoolExecutor(this, catalog.isByReference());
    }

    @Override
    public boolean isClosed() {
        return dispatcher.isClosed();
    }

    @Override
    public Isolation isolation() {
        return options.isolation();
    }

    @Override
    public int workers() {
        return options.workers();
    }

    @Override
    public void close() {
        refuseNewCalls();
        engine.close(Completion.NO_DEADLINE);
    }

    @Override
    public boolean shutdown(Duration timeout) {
        long nanos = timeout.isNegative()
                ? 0
                : timeout.compareTo(Duration.ofDays(365)) > 0
                        ? Duration.ofDays(365).toNanos()
                        : timeout.toNanos();
        refuseNewCalls();
        return engine.close(System.nanoTime() + nanos);
    }

    @Override
    public void shutdownNow() {
        refuseNewCalls();
        engine.close(System.nanoTime());
    }

    private void refuseNewCalls() {
        dispatcher.close();
        awaited.failAll();
    }

    @Override
    public String toString() {
        return "Pool[name=" + options.name() + ", isolation=" + options.isolation() + ", workers=" + options.workers()
                + "]";
    }
}

package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Outcome;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.Progress;
import dev.knitting.SharedBuffer;
import dev.knitting.Task;
import dev.knitting.boot.BoundTask;
import dev.knitting.boot.TaskResolver;
import dev.knitting.codec.Payload;
import dev.knitting.codec.ValueCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs each call on the submitting thread, in order, with payloads copied as process workers would see them. */
final class DirectPool implements Pool, ServiceCaller {
    /** A call that has run when its caller gets it, but for what an async task goes on with. */
    private static final class DirectCall<R extends @Nullable Object> extends Call<R> {
        private final CompletableFuture<Ended> ended = new CompletableFuture<>();

        /** The work is over: settles the call, unless that was done from outside. */
        void end(Ended how, Consumer<DirectCall<R>> settling) {
            try {
                settling.accept(this);
            } finally {
                ended.complete(how);
            }
        }

        @Override
        public boolean abort(String reason) {
            Objects.requireNonNull(reason, "reason");
            return false; // nobody can see it: the task ran on the submitting thread
        }

        @Override
        public CompletableFuture<Ended> ended() {
            return ended.copy();
        }

        @Override
        public Call<R> onProgress(Consumer<? super Progress> listener) {
            Objects.requireNonNull(listener, "listener");
            return this;
        }

        @Override
        public void obtrudeValue(R value) {
            throw new UnsupportedOperationException("a call's outcome cannot be replaced");
        }

        @Override
        public void obtrudeException(Throwable failure) {
            throw new UnsupportedOperationException("a call's outcome cannot be replaced");
        }
    }

    /** What a task returned, and how it is copied. */
    private record Returned(@Nullable Object value, BoundTask task, ValueCodec codec, CallBuffers buffers) {}

    private final String name;
    private final TaskCatalog catalog;
    private final TaskResolver tasks;
    private final ServiceTable services;
    private final Map<Integer, BoundTask> bound = new HashMap<>();
    /** Calls whose argument is not there yet; whoever removes one decides what becomes of it. */
    private final Set<DirectCall<?>> awaiting = ConcurrentHashMap.newKeySet();

    /** Buffers of {@link #allocate}; guarded by itself. */
    private final List<HostBuffer> allocated = new ArrayList<>();

    private volatile boolean closed;

    @SuppressWarnings("this-escape") // the table keeps this pool for its stand-ins and calls nothing
    DirectPool(PoolOptions options) {
        name = options.name();
        AtomicInteger announced = new AtomicInteger();
        catalog = TaskCatalog.local(options, description -> number(announced));
        tasks = catalog.forThread();
        services = new ServiceTable(ServiceTable.announce(options.code().services(), catalog), this, name);
        byte[] hook = TaskCatalog.startHook(options);
        if (hook.length > 0) {
            tasks.start(hook);
        }
        for (int id = 0; id < announced.get(); id++) {
            bound(id); // makes the implementations, as workers do before they take calls
        }
    }

    private static int number(AtomicInteger announced) {
        int id = announced.getAndIncrement();
        if (id >= PoolOptions.MAX_TASKS) {
            announced.decrementAndGet();
            throw KnittingException.of(ErrorCode.TOO_MANY_TASKS, "too many tasks", "limit", PoolOptions.MAX_TASKS);
        }
        return id;
    }

    /** Several threads may use the pool; the objects of services are this pool's, made once. */
    private synchronized BoundTask bound(int id) {
        return bound.computeIfAbsent(id, tasks::resolve);
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        HostHandle handle = LocalBuffers.allocate(bytes);
        synchronized (allocated) {
            if (closed) {
                handle.close();
                throw Failures.poolClosed(name);
            }
            allocated.removeIf(HostBuffer::isFreed);
            allocated.add(handle.buffer());
        }
        return handle;
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submit(Task<A, R> task, A argument) {
        Objects.requireNonNull(task, "task");
        return run(new DirectCall<>(), () -> run(catalog.entry(task), argument));
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task<Void, R> task) {
        Objects.requireNonNull(task, "task");
        return run(new DirectCall<>(), () -> run(catalog.entry(task), null));
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task.Source<R> lambda) {
        LambdaCalls.Parts parts = LambdaCalls.takeApart(Objects.requireNonNull(lambda, "lambda"));
        TaskEntry entry;
        try {
            entry = catalog.lambdaEntry(parts.target(), lambda.getClass().getClassLoader());
        } catch (KnittingException e) {
            KnittingException failure = LambdaCalls.unlessBadLambda(e);
            return run(new DirectCall<>(), () -> {
                throw failure;
            });
        }
        return run(new DirectCall<>(), () -> run(entry, parts.captured()));
    }

    /** Runs the call on the thread that completes the stage, at once if it is complete. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callbacks settle the call, whatever happens
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submitWhen(
            Task<A, R> task, CompletionStage<? extends A> argument) {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(argument, "argument");
        DirectCall<R> call = new DirectCall<>();
        awaiting.add(call);
        argument.whenComplete((value, failure) -> {
            if (!awaiting.remove(call)) {
                return; // settled before its argument came
            }
            if (failure != null) {
                call.end(Ended.NEVER_RAN, each -> each.completeExceptionally(Failures.ofStage(failure)));
            } else {
                run(call, () -> run(catalog.entry(task), value));
            }
        });
        call.whenComplete((value, failure) -> neverRuns(call));
        if (closed) {
            failAwaiting(); // closing may have looked before this call was there
        }
        return call;
    }

    /** A call that is settled from outside while it waits for its argument. */
    private void neverRuns(DirectCall<?> call) {
        if (awaiting.remove(call)) {
            call.end(Ended.NEVER_RAN, each -> {});
        }
    }

    private void failAwaiting() {
        for (DirectCall<?> call : List.copyOf(awaiting)) {
            if (awaiting.remove(call)) {
                call.end(Ended.NEVER_RAN, each -> each.completeExceptionally(Failures.poolClosed(name)));
            }
        }
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> List<Call<R>> submitAll(
            Task<A, R> task, Collection<? extends A> arguments) {
        Objects.requireNonNull(task, "task");
        List<Call<R>> calls = new ArrayList<>(arguments.size());
        for (A argument : arguments) {
            calls.add(submit(task, argument));
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
        return result(submit(task, argument));
    }

    @Override
    public <R extends @Nullable Object> R invoke(Task<Void, R> task) {
        return result(submit(task));
    }

    @Override
    public <R extends @Nullable Object> R invoke(Task.Source<R> lambda) {
        return result(submit(lambda));
    }

    private static <R extends @Nullable Object> R result(Call<R> call) {
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw Failures.forCaller(Objects.requireNonNullElse(e.getCause(), e));
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw new KnittingException(
                    ErrorCode.INTERRUPTED, "interrupted while waiting for the stage of an async task", e);
        }
    }

    private <R extends @Nullable Object> Call<R> run(DirectCall<R> call, Supplier<Returned> work) {
        if (closed) {
            call.end(Ended.NEVER_RAN, each -> each.completeExceptionally(Failures.poolClosed(name)));
            return call;
        }
        try {
            settle(call, work.get());
        } catch (Throwable e) {
            call.end(Ended.RETURNED, each -> each.completeExceptionally(e));
        }
        return call;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback settles the call, whatever happens
    private static <R extends @Nullable Object> void settle(DirectCall<R> call, Returned returned) {
        if (!returned.task.async()) {
            R value;
            try {
                value = cast(copy(returned.value, returned));
            } finally {
                returned.buffers.letGo();
            }
            call.end(Ended.RETURNED, each -> each.complete(value));
            return;
        }
        if (returned.value == null) {
            returned.buffers.letGo();
            throw copyOfFailure(new NullPointerException("the task returned no stage"), returned.codec);
        }
        ((CompletionStage<?>) returned.value)
                .whenComplete((value, failure) ->
                        call.end(Ended.RETURNED, each -> settleByStage(each, value, failure, returned)));
    }

    private static <R extends @Nullable Object> void settleByStage(
            DirectCall<R> call, @Nullable Object value, @Nullable Throwable failure, Returned returned) {
        try {
            if (failure != null) {
                call.completeExceptionally(copyOfFailure(Failures.ofStage(failure), returned.codec));
            } else {
                call.complete(cast(copy(value, returned)));
            }
        } catch (Throwable e) {
            call.completeExceptionally(e);
        } finally {
            returned.buffers.letGo();
        }
    }

    /** The value as the caller's result type: the codec decodes what the task's signature declares. */
    @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"})
    private static <R extends @Nullable Object> R cast(@Nullable Object value) {
        return (R) value;
    }

    private Returned run(TaskEntry entry, @Nullable Object argument) {
        BoundTask task = bound(entry.id());
        ValueCodec codec = Objects.requireNonNull(task.codec());
        Payload payload = new Payload();
        CallBuffers buffers = new CallBuffers(LocalBuffers::area);
        try {
            payload.buffers = buffers;
            entry.encode(argument, payload);
            payload.buffers = buffers.ofTask();
            Object copy = entry.isTuple() ? codec.decodeAll(payload) : codec.decode(payload);
            return new Returned(runs(task, copy, codec), task, codec, buffers);
        } catch (Throwable e) {
            buffers.letGo();
            throw e;
        }
    }

    private static @Nullable Object runs(BoundTask task, @Nullable Object argument, ValueCodec codec) {
        try {
            return task.body().run(argument);
        } catch (Throwable e) {
            throw copyOfFailure(e, codec);
        }
    }

    private static @Nullable Object copy(@Nullable Object value, Returned by) {
        Payload payload = new Payload();
        payload.buffers = by.buffers.ofTask();
        by.codec.encode(value, payload);
        payload.buffers = by.buffers;
        return by.codec.decode(payload);
    }

    private static RuntimeException copyOfFailure(Throwable failure, ValueCodec codec) {
        Payload payload = new Payload();
        codec.encodeFailure(failure, payload);
        return codec.decodeFailure(payload);
    }

    /** There are no workers. */
    @Override
    public void recycle() {}

    @Override
    public <S> S service(Class<S> type) {
        return services.get(type, name);
    }

    @Override
    public Call<?> submitEntry(TaskEntry entry, @Nullable Object argument) {
        return run(new DirectCall<@Nullable Object>(), () -> run(entry, argument));
    }

    @Override
    public @Nullable Object invokeEntry(TaskEntry entry, @Nullable Object argument) {
        return result(run(new DirectCall<@Nullable Object>(), () -> run(entry, argument)));
    }

    @Override
    public ExecutorService asExecutor() {
        return new PoolExecutor(this, false);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public Isolation isolation() {
        return Isolation.THREADS;
    }

    @Override
    public int workers() {
        return 0;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!closed) {
                closed = true;
                tasks.close();
            }
        }
        synchronized (allocated) {
            allocated.forEach(HostBuffer::closeAll);
            allocated.clear();
        }
        failAwaiting();
    }

    @Override
    public boolean shutdown(Duration timeout) {
        close();
        return true;
    }

    @Override
    public void shutdownNow() {
        close();
    }
}

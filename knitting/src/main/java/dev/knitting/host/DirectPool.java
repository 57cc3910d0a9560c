package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import dev.knitting.boot.BoundTask;
import dev.knitting.codec.Payload;
import dev.knitting.codec.ValueCodec;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs each call on the submitting thread, in order, with payloads copied as process workers would see them. */
final class DirectPool implements Pool {
    private static final PoolOptions OPTIONS =
            Pool.threads(1).name("direct").copyArguments(true).options();

    private static final class DirectCall<R extends @Nullable Object> extends Call<R> {}

    private final AtomicInteger announced = new AtomicInteger();
    private final TaskCatalog catalog = new TaskCatalog(OPTIONS, false, description -> announced.getAndIncrement());
    private volatile boolean closed;

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submit(Task<A, R> task, A argument) {
        Objects.requireNonNull(task, "task");
        return call(() -> run(catalog.entry(task), argument));
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task<Void, R> task) {
        Objects.requireNonNull(task, "task");
        return call(() -> run(catalog.entry(task), null));
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task.Source<R> lambda) {
        LambdaCalls.Parts parts = LambdaCalls.takeApart(Objects.requireNonNull(lambda, "lambda"));
        return call(
                () -> run(catalog.lambdaEntry(parts.target(), lambda.getClass().getClassLoader()), parts.captured()));
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
        if (call.isCompletedExceptionally()) {
            throw Failures.forCaller(call.exceptionNow());
        }
        return call.resultNow();
    }

    private <R extends @Nullable Object> Call<R> call(java.util.function.Supplier<@Nullable Object> work) {
        DirectCall<R> call = new DirectCall<>();
        try {
            if (closed) {
                throw Failures.poolClosed(OPTIONS.name());
            }
            call.complete(cast(work.get()));
        } catch (Throwable e) {
            call.completeExceptionally(e);
        }
        return call;
    }

    @SuppressWarnings("unchecked") // the codec decodes what the task's signature declares
    private static <R extends @Nullable Object> R cast(@Nullable Object value) {
        return (R) value;
    }

    private @Nullable Object run(TaskEntry entry, @Nullable Object argument) {
        BoundTask task = catalog.resolve(entry.id());
        ValueCodec codec = Objects.requireNonNull(task.codec());
        Payload payload = new Payload();
        entry.encode(argument, payload);
        Object copy = entry.isTuple() ? codec.decodeAll(payload) : codec.decode(payload);
        Object value;
        try {
            value = task.body().run(copy);
        } catch (Throwable e) {
            codec.encodeFailure(e, payload);
            throw codec.decodeFailure(payload);
        }
        codec.encode(value, payload);
        return codec.decode(payload);
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
        closed = true;
    }

    @Override
    public boolean shutdown(Duration timeout) {
        closed = true;
        return true;
    }

    @Override
    public void shutdownNow() {
        closed = true;
    }
}

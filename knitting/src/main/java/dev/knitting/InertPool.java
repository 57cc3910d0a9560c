package dev.knitting;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What opening a pool gives inside a worker, where the class of a task is initialised with all its constants: nothing is
 * started, closing does nothing, and each use fails. Any thread.
 */
final class InertPool implements Pool {
    /** System property that tells a worker process its number; see the launcher. */
    private static final String WORKER_PROPERTY = "knitting.worker";

    private final PoolBuilder options;

    InertPool(PoolBuilder options) {
        this.options = options;
    }

    /** Whether a pool that is opened here and now must be inert. */
    static boolean isInWorker() {
        return TaskContext.inWorker() || System.getProperty(WORKER_PROPERTY) != null;
    }

    private KnittingException refused() {
        return KnittingException.of(
                ErrorCode.NESTED_POOL,
                "a pool that was opened inside a worker cannot be used",
                "pool",
                options.name(),
                "openedIn",
                System.getProperty(WORKER_PROPERTY) != null ? "worker process" : "worker thread",
                "remedy",
                "open it in a class that holds no tasks, or in main");
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        throw refused();
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submit(Task<A, R> task, A argument) {
        throw refused();
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task<Void, R> task) {
        throw refused();
    }

    @Override
    public <R extends @Nullable Object> Call<R> submit(Task.Source<R> lambda) {
        throw refused();
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Call<R> submitWhen(
            Task<A, R> task, CompletionStage<? extends A> argument) {
        throw refused();
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> List<Call<R>> submitAll(
            Task<A, R> task, Collection<? extends A> arguments) {
        throw refused();
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> Stream<Outcome<A, R>> map(
            Task<A, R> task, Stream<? extends A> arguments) {
        throw refused();
    }

    @Override
    public <A extends @Nullable Object, R extends @Nullable Object> R invoke(Task<A, R> task, A argument) {
        throw refused();
    }

    @Override
    public <R extends @Nullable Object> R invoke(Task<Void, R> task) {
        throw refused();
    }

    @Override
    public <R extends @Nullable Object> R invoke(Task.Source<R> lambda) {
        throw refused();
    }

    /** A constant too, more often than not: its methods fail, not this one. */
    @Override
    @SuppressWarnings("ReferenceEquality") // a stand-in is equal to itself only
    public <S> S service(Class<S> type) {
        Object inert = Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "toString" -> type.getName() + " of " + this;
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> arguments != null && proxy == arguments[0];
                    default -> throw refused();
                });
        return type.cast(inert);
    }

    @Override
    public ExecutorService asExecutor() {
        throw refused();
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public Isolation isolation() {
        return options.isolation();
    }

    @Override
    public int workers() {
        return 0;
    }

    @Override
    public void recycle() {
        throw refused();
    }

    @Override
    public void close() {
        // nothing was opened
    }

    @Override
    public boolean shutdown(Duration timeout) {
        return true;
    }

    @Override
    public void shutdownNow() {
        // nothing was opened
    }

    @Override
    public String toString() {
        return "Pool[name=" + options.name() + ", inert: opened inside a worker]";
    }
}

package dev.knitting.cli;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.TaskFailedException;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A pool for tests: runs named tasks on threads of this JVM, and counts how many are open at once. */
final class FakePool implements Pool {
    private final int workers;
    private final ExecutorService threads;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();

    FakePool(int workers) {
        this.workers = workers;
        this.threads = Executors.newFixedThreadPool(workers);
    }

    /** The largest number of calls that were submitted and not settled at one time. */
    int mostOpen() {
        return mostOpen.get();
    }

    @Override
    public <A, R> Call<R> submit(Task<A, R> task, A argument) {
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        return start(() -> run(task, argument));
    }

    @Override
    public <R> Call<R> submit(Task<Void, R> task) {
        return start(() -> run(task));
    }

    @Override
    public <R> Call<R> submit(Task.Source<R> lambda) {
        return start(() -> {
            try {
                return lambda.get();
            } catch (Exception e) {
                throw failed(e);
            }
        });
    }

    @Override
    public <A, R> R invoke(Task<A, R> task, A argument) {
        return submit(task, argument).join();
    }

    @Override
    public <R> R invoke(Task<Void, R> task) {
        return submit(task).join();
    }

    @Override
    public <R> R invoke(Task.Source<R> lambda) {
        return submit(lambda).join();
    }

    private <R> Call<R> start(Supplier<R> body) {
        var call = new Call<R>() {};
        if (threads.isShutdown()) {
            open.decrementAndGet();
            call.completeExceptionally(KnittingException.of(ErrorCode.POOL_CLOSED, "pool closed"));
            return call;
        }
        threads.execute(() -> {
            R result;
            try {
                result = body.get();
            } catch (KnittingException e) {
                open.decrementAndGet();
                call.completeExceptionally(e);
                return;
            }
            open.decrementAndGet();
            call.complete(result);
        });
        return call;
    }

    @SuppressWarnings("unchecked")
    private static <R> R run(Task<?, R> task, Object... arguments) {
        try {
            Class<?> type = Class.forName(task.target().className());
            var lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            MethodHandle handle = lookup.findStatic(
                    type,
                    task.target().methodName(),
                    MethodTypeDesc.ofDescriptor(task.target().descriptor()).resolveConstantDesc(lookup));
            return (R) handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private static KnittingException failed(Throwable problem) {
        return new TaskFailedException(
                problem.getClass().getName(), problem.getMessage(), problem.getStackTrace(), null);
    }

    @Override
    public boolean isClosed() {
        return threads.isShutdown();
    }

    @Override
    public Isolation isolation() {
        return Isolation.PROCESSES;
    }

    @Override
    public int workers() {
        return workers;
    }

    @Override
    public void close() {
        threads.close();
    }

    @Override
    public boolean shutdown(Duration timeout) {
        close();
        return true;
    }

    @Override
    public void shutdownNow() {
        threads.shutdownNow();
    }
}

package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A pool as an executor: knows which of the pool's calls came through it. Any thread. */
final class PoolExecutor implements ExecutorService {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Pool pool;
    private final boolean takesAnything;
    /** A call that has not settled. */
    private record Open(Call<?> call, Runnable task) {}

    /** By the order of submission; what {@link #shutdownNow} gives back for those that never ran. */
    private final ConcurrentSkipListMap<Long, Open> open = new ConcurrentSkipListMap<>();

    private final AtomicLong submissions = new AtomicLong();
    /** Guards the two below; awaited by {@link #awaitTermination}. No user code runs under it. */
    private final Object lock = new Object();

    private boolean shut;
    /** Tasks that are being submitted or have not settled. */
    private int unsettled;

    PoolExecutor(Pool pool, boolean takesAnything) {
        this.pool = pool;
        this.takesAnything = takesAnything;
    }

    // ---- submitting

    @Override
    public void execute(Runnable command) {
        Call<?> call = start(command);
        var _ = call.whenComplete((value, failure) -> {
            if (failure != null && !(failure instanceof CancellationException)) {
                Thread thread = Thread.currentThread(); // as if the task had ended this thread
                thread.getUncaughtExceptionHandler().uncaughtException(thread, ExecutorFuture.original(failure));
            }
        });
    }

    @Override
    public <T> Future<T> submit(Callable<T> task) {
        return new ExecutorFuture<>(start(task), null, false);
    }

    @Override
    public <T> Future<T> submit(Runnable task, T result) {
        return new ExecutorFuture<>(start(task), result, true);
    }

    @Override
    public Future<?> submit(Runnable task) {
        return new ExecutorFuture<@Nullable Object>(start(task), null, true);
    }

    private Call<?> start(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (command instanceof Task.BoundRunnable bound) {
            return start(bound.bound(), command);
        }
        if (!takesAnything) {
            throw rejected(command);
        }
        return start(new Running(command), command);
    }

    private <T> Call<T> start(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        return start(task, null);
    }

    /** @param unrun what is given back if it never runs; null for a new future task */
    private <T> Call<T> start(Callable<T> task, @Nullable Runnable unrun) {
        if (!takesAnything && !(task instanceof Task.Bound) && !(task instanceof Task.Source)) {
            throw rejected(task);
        }
        begin();
        Call<T> call;
        try {
            call = call(task);
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
        Long number = submissions.getAndIncrement();
        open.put(number, new Open(call, unrun != null ? unrun : new FutureTask<>(task)));
        var _ = call.whenComplete((value, failure) -> {
            open.remove(number);
            end();
        });
        rejectIfRefused(call);
        return call;
    }

    @SuppressWarnings("unchecked") // a source and a bound task give what the callable says
    private <T> Call<T> call(Callable<T> task) {
        if (task instanceof Task.Bound<?, ?> bound) {
            return (Call<T>) submit(bound);
        }
        if (task instanceof Task.Source<?> source) {
            return (Call<T>) pool.submit(source);
        }
        return pool.submit((Task.Source<T>) task::call);
    }

    private <A extends @Nullable Object, R extends @Nullable Object> Call<R> submit(Task.Bound<A, R> bound) {
        return pool.submit(bound.task(), bound.argument());
    }

    /** Pools say through the call that they are full or closed; executors throw. */
    private static void rejectIfRefused(Call<?> call) {
        if (call.isCompletedExceptionally()
                && !call.isCancelled()
                && call.exceptionNow() instanceof KnittingException e
                && (e.code() == ErrorCode.QUEUE_FULL || e.code() == ErrorCode.POOL_CLOSED)) {
            throw new RejectedExecutionException(e.getMessage(), e);
        }
    }

    private static RejectedExecutionException rejected(Object task) {
        return new RejectedExecutionException(KnittingException.message(
                "the task cannot leave the host",
                "class",
                task.getClass().getName(),
                "remedy",
                "task.bind(argument), or a Task.Source lambda"));
    }

    /** A runnable in a thread of the pool. */
    private record Running(Runnable command) implements Callable<@Nullable Object> {
        @Override
        public @Nullable Object call() {
            command.run();
            return null;
        }
    }

    private void begin() {
        synchronized (lock) {
            if (isShutdown()) {
                throw new RejectedExecutionException(
                        KnittingException.message("the executor is shut down", "pool", pool));
            }
            unsettled++;
        }
    }

    private void end() {
        synchronized (lock) {
            unsettled--;
            if (unsettled == 0) {
                lock.notifyAll();
            }
        }
    }

    // ---- many

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) throws InterruptedException {
        return invokeAllUntil(tasks, NO_LIMIT);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        return invokeAllUntil(tasks, Deadline.after(timeout, unit));
    }

    private <T> List<Future<T>> invokeAllUntil(Collection<? extends Callable<T>> tasks, long deadline)
            throws InterruptedException {
        List<Call<T>> calls = new ArrayList<>(tasks.size());
        boolean settled = false;
        try {
            for (Callable<T> task : tasks) {
                calls.add(start(task));
            }
            settled = awaitAll(calls, deadline);
        } finally {
            if (!settled) {
                cancelAll(calls);
            }
        }
        List<Future<T>> futures = new ArrayList<>(calls.size());
        for (Call<T> call : calls) {
            futures.add(new ExecutorFuture<>(call, null, false));
        }
        return futures;
    }

    private static <T> boolean awaitAll(List<Call<T>> calls, long deadline) throws InterruptedException {
        for (Call<T> call : calls) {
            try {
                if (deadline == NO_LIMIT) {
                    var _ = call.get();
                } else {
                    var _ = call.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                }
            } catch (ExecutionException | CancellationException _) {
                // the caller finds it in the future
            } catch (TimeoutException e) {
                return false;
            }
        }
        return true;
    }

    private static void cancelAll(List<? extends Call<?>> calls) {
        for (Call<?> call : calls) {
            call.cancel(true);
        }
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks) throws InterruptedException, ExecutionException {
        try {
            return invokeAnyUntil(tasks, NO_LIMIT);
        } catch (TimeoutException e) {
            throw new IllegalStateException("there is no limit", e);
        }
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return invokeAnyUntil(tasks, Deadline.after(timeout, unit));
    }

    private <T> T invokeAnyUntil(Collection<? extends Callable<T>> tasks, long deadline)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (tasks.isEmpty()) {
            throw new IllegalArgumentException("no tasks");
        }
        List<Call<T>> calls = new ArrayList<>(tasks.size());
        LinkedBlockingQueue<Call<T>> done = new LinkedBlockingQueue<>();
        try {
            for (Callable<T> task : tasks) {
                Call<T> call = start(task);
                calls.add(call);
                var _ = call.whenComplete((value, failure) -> done.add(call));
            }
            return firstResult(done, calls.size(), deadline);
        } finally {
            cancelAll(calls);
        }
    }

    private static <T> T firstResult(LinkedBlockingQueue<Call<T>> done, int count, long deadline)
            throws InterruptedException, ExecutionException, TimeoutException {
        Throwable failure = null;
        for (int left = count; left > 0; left--) {
            Call<T> call = deadline == NO_LIMIT
                    ? done.take()
                    : done.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (call == null) {
                throw new TimeoutException();
            }
            if (!call.isCompletedExceptionally()) {
                return call.resultNow();
            }
            failure = call.isCancelled() ? new CancellationException() : call.exceptionNow();
        }
        throw new ExecutionException(ExecutorFuture.original(Objects.requireNonNull(failure)));
    }

    // ---- the end

    @Override
    public void shutdown() {
        synchronized (lock) {
            shut = true;
            lock.notifyAll();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        List<Runnable> unrun = new ArrayList<>();
        // The last one first: else a worker whose call is cancelled begins the next one before it is.
        for (Open last : open.descendingMap().values()) {
            if (last.call().cancel(true) && last.call().ended().getNow(Ended.RETURNED) == Ended.NEVER_RAN) {
                unrun.addFirst(last.task());
            }
        }
        return unrun;
    }

    @Override
    public boolean isShutdown() {
        synchronized (lock) {
            return shut || pool.isClosed();
        }
    }

    @Override
    public boolean isTerminated() {
        synchronized (lock) {
            return isShutdown() && unsettled == 0;
        }
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        long deadline = Deadline.after(timeout, unit);
        synchronized (lock) {
            while (!isTerminated()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(lock, Math.max(left, 1_000_000));
            }
            return true;
        }
    }

    @Override
    public String toString() {
        return "Executor[" + pool + "]";
    }
}

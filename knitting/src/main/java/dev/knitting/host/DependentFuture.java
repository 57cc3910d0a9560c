package dev.knitting.host;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A stage that depends on a call: waiting for it helps the pool for a moment before it parks. */
final class DependentFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final Completion completion;
    private volatile @Nullable DoneSignal signal;

    DependentFuture(Completion completion) {
        this.completion = completion;
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

    @Override
    public T join() {
        completion.helpBriefly(this);
        if (!isDone()) {
            signal().awaitUninterruptibly(); // not in super: it would run callbacks on this thread
        }
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        completion.helpBriefly(this);
        if (!isDone()) {
            signal().await(Completion.NO_DEADLINE);
        }
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = Deadline.after(timeout, unit);
        if (!isDone()) {
            signal().await(deadline);
        }
        if (!isDone()) {
            throw new TimeoutException();
        }
        return super.get();
    }

    private DoneSignal signal() {
        DoneSignal known = signal;
        if (known == null) {
            known = DoneSignal.of(this);
            signal = known; // of two at once both work
        }
        return known;
    }
}

package dev.knitting.host;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A stage that depends on a call: waiting for it helps the pool for a moment before it parks. */
final class DependentFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final Completion completion;

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
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        completion.helpBriefly(this);
        return super.get();
    }
}

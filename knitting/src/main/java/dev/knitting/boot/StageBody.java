package dev.knitting.boot;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A start hook that hands out a stage: the worker waits for it. */
record StageBody(TaskBody body) implements TaskBody {
    @Override
    public @Nullable Object run(@Nullable Object argument) throws Throwable {
        Object stage = body.run(argument);
        if (stage == null) {
            throw new NullPointerException("the method returned no stage");
        }
        try {
            return ((CompletionStage<?>) stage).toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}

package dev.knitting;

import java.util.concurrent.CompletableFuture;

/**
 * One submission: a {@link CompletableFuture} that settles exactly once with the task's result or the true reason why
 * there is none.
 *
 * <p>{@code join} and {@code get} help the pool before they park. A failed call completes with a {@link
 * KnittingException} ({@link TaskFailedException} for the task's own exception); a cancelled one with a {@link
 * java.util.concurrent.CancellationException}.
 *
 * <p>Callbacks run on the pool's completion threads, or on the thread that adds them to a finished call; never on a
 * stranger that happened to be helping.
 *
 * @param <R> the result's type
 */
public abstract class Call<R> extends CompletableFuture<R> {
    /** For the engine. */
    protected Call() {}
}

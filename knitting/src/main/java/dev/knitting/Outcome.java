package dev.knitting;

import org.jspecify.annotations.Nullable;

/**
 * What became of one element of {@link Pool#map}: its result, or the reason why there is none; and the element itself.
 *
 * @param <A> the argument's type
 * @param <R> the result's type
 */
public sealed interface Outcome<A extends @Nullable Object, R extends @Nullable Object> {
    /** The element. */
    A in();

    /**
     * The call gave a result.
     *
     * @param in the element
     * @param value its result
     */
    record Ok<A extends @Nullable Object, R extends @Nullable Object>(A in, R value) implements Outcome<A, R> {}

    /**
     * The call failed.
     *
     * @param in the element
     * @param error what {@code invoke} would have thrown
     */
    record Failed<A extends @Nullable Object, R extends @Nullable Object>(A in, Throwable error)
            implements Outcome<A, R> {}
}

package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Outcome;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Spliterator;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of a task over a stream, in order: keeps a window of calls ahead of the consumer. The consumer's thread
 * only.
 */
final class MappedStream<A extends @Nullable Object, R extends @Nullable Object>
        implements Spliterator<Outcome<A, R>>, Consumer<A> {
    private static final int AHEAD_PER_WORKER = 32;

    private record Pending<A extends @Nullable Object, R extends @Nullable Object>(A in, Call<R> call) {}

    private final Pool pool;
    private final Task<A, R> task;
    private final Stream<? extends A> source;
    private final int window;
    private final ArrayDeque<Pending<A, R>> pending = new ArrayDeque<>();
    /** Obtained with the first element: nothing is looked at before somebody asks. */
    private @Nullable Spliterator<? extends A> arguments;

    private boolean exhausted;
    /** What the source threw; the consumer gets it after the outcomes before it. */
    private @Nullable Throwable sourceFailure;

    private MappedStream(Pool pool, Task<A, R> task, Stream<? extends A> source) {
        this.pool = pool;
        this.task = task;
        this.source = source;
        this.window = Math.max(1, pool.workers() * AHEAD_PER_WORKER);
    }

    static <A extends @Nullable Object, R extends @Nullable Object> Stream<Outcome<A, R>> over(
            Pool pool, Task<A, R> task, Stream<? extends A> source) {
        MappedStream<A, R> mapped = new MappedStream<>(
                pool, Objects.requireNonNull(task, "task"), Objects.requireNonNull(source, "source"));
        return StreamSupport.stream(mapped, false).onClose(mapped::cancelRest).onClose(source::close);
    }

    @Override
    public boolean tryAdvance(Consumer<? super Outcome<A, R>> action) {
        Objects.requireNonNull(action, "action");
        fill();
        Pending<A, R> head = pending.peekFirst();
        if (head == null) {
            rethrowSourceFailure();
            return false;
        }
        Outcome<A, R> outcome = outcome(head);
        pending.removeFirst();
        action.accept(outcome);
        return true;
    }

    private void fill() {
        while (!exhausted && pending.size() < window) {
            try {
                Spliterator<? extends A> from = arguments;
                if (from == null) {
                    from = source.spliterator();
                    arguments = from;
                }
                exhausted = !from.tryAdvance(this);
            } catch (RuntimeException | Error e) {
                exhausted = true;
                sourceFailure = e;
            }
        }
    }

    /** Takes an argument from the source. */
    @Override
    public void accept(A argument) {
        pending.addLast(new Pending<>(argument, pool.submit(task, argument)));
    }

    private void rethrowSourceFailure() {
        Throwable failure = sourceFailure;
        sourceFailure = null;
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }

    private Outcome<A, R> outcome(Pending<A, R> head) {
        try {
            return new Outcome.Ok<>(head.in, head.call.get());
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return new Outcome.Failed<>(head.in, cause == null ? e : cause);
        } catch (java.util.concurrent.CancellationException e) {
            return new Outcome.Failed<>(head.in, e);
        } catch (InterruptedException e) {
            cancelRest();
            Thread.currentThread().interrupt();
            throw new KnittingException(
                    ErrorCode.INTERRUPTED,
                    KnittingException.message("interrupted while waiting for an outcome", "task", task),
                    e);
        }
    }

    /** Cancels what was not consumed; nothing more is taken from the source. */
    private void cancelRest() {
        exhausted = true;
        for (Pending<A, R> each : pending) {
            each.call.cancel(true);
        }
        pending.clear();
    }

    @Override
    public @Nullable Spliterator<Outcome<A, R>> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return Long.MAX_VALUE;
    }

    @Override
    public int characteristics() {
        return ORDERED | NONNULL;
    }
}

package dev.knitting.host;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a future without running its callbacks. A thread that waits in {@link CompletableFuture} itself runs them when
 * the future completes, whoever added them. One a future; any number of threads.
 */
final class DoneSignal {
    /** A callback that was added later than the signal may run before it, and block: so waiting looks by itself, too. */
    private static final long SLICE_NANOS = 20_000_000;

    private final CompletableFuture<?> future;
    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

    private DoneSignal(CompletableFuture<?> future) {
        this.future = future;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback cannot fail
    static DoneSignal of(CompletableFuture<?> future) {
        DoneSignal signal = new DoneSignal(future);
        future.whenComplete((value, failure) -> signal.done.complete(null));
        return signal;
    }

    /** Waits until the future is done; interrupts are kept for later. */
    void awaitUninterruptibly() {
        boolean interrupted = false;
        while (!future.isDone()) {
            try {
                await(System.nanoTime() + SLICE_NANOS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the future is done, at most until the deadline. */
    void await(long deadlineNanos) throws InterruptedException {
        boolean bounded = deadlineNanos != Completion.NO_DEADLINE;
        while (!future.isDone()) {
            long left = bounded ? deadlineNanos - System.nanoTime() : SLICE_NANOS;
            if (left <= 0) {
                return;
            }
            awaitSlice(Math.min(left, SLICE_NANOS));
        }
    }

    private void awaitSlice(long nanos) throws InterruptedException {
        try {
            done.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return; // the caller looks by itself
        } catch (ExecutionException e) {
            throw new IllegalStateException("never completed exceptionally", e);
        }
    }
}

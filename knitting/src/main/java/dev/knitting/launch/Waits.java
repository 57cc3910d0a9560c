package dev.knitting.launch;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Bounded waits for a future's end, whichever it is. */
final class Waits {
    private Waits() {}

    /** Whether the future is done within the time. */
    static boolean await(CompletableFuture<?> future, long nanos) throws InterruptedException {
        if (future.isDone()) {
            return true;
        }
        try {
            Object ignored = future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** The future's value; an interrupt is remembered, not obeyed. */
    static <T> T getUninterruptibly(Future<T> future) throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.TaskFailedException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call as executors' futures are: its failure is the task's own exception.
 *
 * @param call the call
 * @param result what to give in place of the call's own result, if {@code replaces}
 * @param replaces whether the task was a runnable with a result beside it
 */
record ExecutorFuture<T extends @Nullable Object>(
        Call<?> call, @Nullable Object result, boolean replaces) implements Future<T> {
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return !call.isDone() && call.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean isCancelled() {
        return call.isCancelled();
    }

    @Override
    public boolean isDone() {
        return call.isDone();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        try {
            return value(call.get());
        } catch (ExecutionException e) {
            throw original(e);
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return value(call.get(timeout, unit));
        } catch (ExecutionException e) {
            throw original(e);
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the call's type was checked where it was submitted
    private T value(@Nullable Object own) {
        return (T) (replaces ? result : own);
    }

    private static ExecutionException original(ExecutionException failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : new ExecutionException(original(cause));
    }

    /** The task's own exception, if it is here. */
    static Throwable original(Throwable failure) {
        if (failure instanceof TaskFailedException remote) {
            Throwable own = remote.getCause();
            if (own != null && own.getClass().getName().equals(remote.remoteType())) {
                return own;
            }
        }
        return failure;
    }
}

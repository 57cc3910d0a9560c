package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.launch.ThreadWorker;
import java.util.function.Consumer;

/** A worker thread of the host. */
final class ThreadHostWorker implements HostWorker {
    private final ThreadWorker thread;

    ThreadHostWorker(ThreadWorker thread) {
        this.thread = thread;
    }

    @Override
    public boolean isAlive() {
        return !thread.ended().isDone();
    }

    @Override
    public void kill() {
        thread.interrupt();
    }

    @Override
    public String toString() {
        return "a thread of the host";
    }

    @Override
    public void deliverAborts() {
        thread.deliverAborts();
    }

    @Override
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return thread.awaitEnd(nanos);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback's own failure goes to the thread that reports exits
    public void onEnd(Consumer<KnittingException> callback) {
        thread.ended()
                .thenAccept(failure -> callback.accept(new KnittingException(
                        ErrorCode.WORKER_EXITED, "the worker thread ended while it held the call", failure)));
    }
}

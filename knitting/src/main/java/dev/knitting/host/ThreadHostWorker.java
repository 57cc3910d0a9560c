package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.WorkerEnd;
import dev.knitting.launch.ThreadWorker;
import java.util.function.Consumer;

/** A worker thread of the host. */
final class ThreadHostWorker implements HostWorker {
    private static final int MOST_FRAMES = 20;

    private final ThreadWorker thread;

    ThreadHostWorker(ThreadWorker thread) {
        this.thread = thread;
    }

    @Override
    public long pid() {
        return -1;
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
    public boolean canBeKilled() {
        return false;
    }

    @Override
    public boolean tryAbandon() {
        return thread.tryAbandon();
    }

    @Override
    public String activity() {
        StringBuilder text = new StringBuilder();
        StackTraceElement[] frames = thread.stackTrace();
        for (int i = 0; i < Math.min(frames.length, MOST_FRAMES); i++) {
            text.append("\n\tat ").append(frames[i]);
        }
        return text.toString();
    }

    @Override
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return thread.awaitEnd(nanos);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback's own failure goes to the thread that reports exits
    public void onEnd(Consumer<Ending> callback) {
        thread.ended()
                .thenAccept(failure -> callback.accept(
                        failure == null
                                ? new Ending(WorkerEnd.Reason.EXITED, ErrorCode.WORKER_EXITED, true, "thread")
                                : new Ending(
                                        WorkerEnd.Reason.CRASHED,
                                        ErrorCode.WORKER_CRASHED,
                                        false,
                                        failure.toString())));
    }

    @Override
    public int exitCode() {
        return thread.endedBy();
    }
}

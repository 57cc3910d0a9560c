package dev.knitting.worker;

import dev.knitting.Progress;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What tasks say about how far they are, on its way to the host: the latest report only, and never more than one that the
 * host has not taken, so that a task that reports in a tight loop fills no mailbox and waits for nobody.
 *
 * <p>The loop's thread sends: at a report, and the last one before the call's result. Reports of other threads wait for
 * that.
 */
final class ProgressSender {
    /** What a call said. */
    private record Report(long callId, Progress progress) {}

    private final WorkerLoop loop;
    private final Thread loopThread;
    private final AtomicReference<@Nullable Report> latest = new AtomicReference<>();

    ProgressSender(WorkerLoop loop, Thread loopThread) {
        this.loop = loop;
        this.loopThread = loopThread;
    }

    /** From any thread. */
    void report(long callId, Progress progress) {
        latest.set(new Report(callId, progress));
        if (Thread.currentThread() == loopThread && loop.isProgressTaken()) {
            send(callId);
        }
    }

    /** The call ends: its last report goes out before its result. The loop's thread. */
    void finish(long callId) {
        send(callId);
    }

    private void send(long callId) {
        Report report = latest.getAndSet(null);
        if (report != null && report.callId == callId) {
            loop.publishProgress(callId, report.progress);
        }
    }
}

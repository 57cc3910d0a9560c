package dev.knitting.worker;

import dev.knitting.Progress;
import dev.knitting.SharedBuffer;
import dev.knitting.TaskContext;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What a task can ask about its call. Made when a task asks for the first time; names its call, so that one that is kept
 * beyond its call speaks of no other.
 */
final class CallContext implements TaskContext {
    private final int workerId;
    private final long callId;
    private final long deadlineNanos;
    private final boolean hasDeadline;
    private final AbortControl control;
    private final ProgressSender progress;
    private final WorkerLoop loop;

    CallContext(
            int workerId,
            long callId,
            boolean hasDeadline,
            long deadlineNanos,
            AbortControl control,
            ProgressSender progress,
            WorkerLoop loop) {
        this.loop = loop;
        this.workerId = workerId;
        this.callId = callId;
        this.hasDeadline = hasDeadline;
        this.deadlineNanos = deadlineNanos;
        this.control = control;
        this.progress = progress;
    }

    boolean isOf(long call) {
        return callId == call;
    }

    @Override
    public int workerId() {
        return workerId;
    }

    @Override
    public boolean cancelled() {
        return control.isAborted(callId);
    }

    @Override
    public void throwIfCancelled() {
        if (control.isAborted(callId)) {
            String reason = control.reason(callId);
            throw new CancellationException(reason.isEmpty() ? "the call was cancelled" : reason);
        }
    }

    @Override
    public Duration remaining() {
        if (!hasDeadline) {
            return ChronoUnit.FOREVER.getDuration();
        }
        return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        return loop.allocate(callId, bytes);
    }

    @Override
    public void progress(long done, long total, @Nullable String note) {
        progress.report(callId, new Progress(done, total, note));
    }
}

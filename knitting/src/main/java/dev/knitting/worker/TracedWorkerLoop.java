package dev.knitting.worker;

import dev.knitting.boot.TaskResolver;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.codec.ReferenceTable;
import dev.knitting.doorbell.Bell;
import dev.knitting.doorbell.BellSleeper;
import dev.knitting.mailbox.LaneView;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import org.jspecify.annotations.Nullable;

/** The loop of a worker that writes debug lines. Not loaded unless a namespace is on. */
public final class TracedWorkerLoop extends WorkerLoop {
    private final TaskResolver resolver;
    private final WorkerConfig config;
    private final WorkerTrace trace;

    private TracedWorkerLoop(
            SharedSegment segment,
            SegmentHeaderView header,
            LaneView lane,
            WorkerConfig config,
            TaskResolver resolver,
            @Nullable ReferenceTable references,
            WorkerTrace trace) {
        super(segment, header, lane, config, resolver, references);
        this.resolver = resolver;
        this.config = config;
        this.trace = trace;
    }

    /** Declared as the general type, so that checking the caller does not load this class in a worker. */
    public static WorkerLoop create(
            SharedSegment segment,
            SegmentHeaderView header,
            LaneView lane,
            WorkerConfig config,
            TaskResolver resolver,
            @Nullable ReferenceTable references,
            WorkerTrace trace) {
        return new TracedWorkerLoop(segment, header, lane, config, resolver, references, trace);
    }

    @Override
    public void linked(Bell bell, BellSleeper sleeper, boolean asymmetric) {
        super.linked(bell, sleeper, asymmetric);
        trace.linked(asymmetric);
    }

    @Override
    void onReady() {
        trace.ready(config.tasks());
    }

    @Override
    void onStop() {
        trace.stopping();
    }

    @Override
    void onIdle() {
        trace.idle();
    }

    @Override
    void onClaimed(long ticket) {
        trace.claimed(ticket);
    }

    @Override
    void onClaimLost() {
        trace.claimLost();
    }

    @Override
    void onEntered(long callId, int taskId) {
        trace.entered(callId, taskId < resolver.count() ? resolver.describe(taskId) : "unknown number " + taskId);
    }

    @Override
    void onRun(long callId) {
        trace.run(callId);
    }

    @Override
    void onResult(long callId, boolean failed) {
        trace.result(callId, failed);
    }
}

package dev.knitting.host;

import dev.knitting.KnittingException;
import dev.knitting.WorkerEnd;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.LaneLayout;
import org.jspecify.annotations.Nullable;

/**
 * Ends workers whose call takes too long. On the wheel's thread only.
 *
 * <p>A late kill never hits the next call. Host: store HOLD, fence, drain the lane's results. Worker: publish a result,
 * fence (the bell's), load the request word, enter the next call only if it is empty. So either the drain finds the
 * culprit's result, and nobody is killed; or the worker meets HOLD before it could enter anything else.
 *
 * <ol>
 *   <li>HOLD; fence; drain. The call has been answered: take HOLD back.
 *   <li>Settle the culprit, if its hard timeout is over.
 *   <li>A process: kill it. Its end is noticed as any other; calls that it had not entered run elsewhere.
 *   <li>A thread cannot be killed: interrupt it, look for its answer for a moment, then leave it behind, and go on as if it
 *       had ended. Whether it answers or is left behind is decided in one step ({@code RunGate}).
 * </ol>
 */
final class Executions {
    private static final long THREAD_GRACE_NANOS = 100_000_000L;
    private static final long THREAD_LOOK_NANOS = 2_000_000L;

    private final DeadlineWheel wheel;
    private final Completion completion;
    private final boolean asymmetric;
    private @Nullable Supervisor supervisor;

    Executions(DeadlineWheel wheel, Completion completion, boolean asymmetric) {
        this.wheel = wheel;
        this.completion = completion;
        this.asymmetric = asymmetric;
    }

    void start(Supervisor workers) {
        supervisor = workers;
    }

    private Supervisor supervisor() {
        return java.util.Objects.requireNonNull(supervisor, "not started");
    }

    /**
     * Ends the worker that runs a call, unless the call has just been answered.
     *
     * @param byHardTimeout else the call is not wanted any more, and its grace is over
     */
    void execute(Lane lane, HostCall<?> call, boolean byHardTimeout) {
        if (!isStillHeld(lane, call)) {
            return;
        }
        HostWorker worker = supervisor().workerOf(lane);
        boolean entered = lane.wasEntered(call);
        if (worker == null || (!entered && !worker.canBeKilled())) {
            lane.release(); // it has ended; or a thread that was not given the processor: it will enter the call now
            limits(call).lookAgain(System.nanoTime() + THREAD_GRACE_NANOS);
            return;
        }
        KnittingException failure = entered && byHardTimeout
                ? limits(call)
                        .hardTimeout(
                                lane.index(),
                                worker.canBeKilled() ? "the worker is killed" : "the worker's thread is interrupted")
                : null;
        Execution execution = new Execution(
                call, byHardTimeout ? WorkerEnd.Reason.HARD_TIMEOUT : WorkerEnd.Reason.KILLED_AFTER_CANCEL, failure);
        if (!worker.canBeKilled() && lane.hasBegun(call)) {
            lane.release(); // no thread of the pool is in it: settling cancels its stage, which is all that can be done
            if (failure != null) {
                limits(call).condemn(failure);
                completion.runCallback(() -> call.completeExceptionally(failure));
            }
            return;
        }
        if (!supervisor().condemn(lane, execution)) {
            return; // it is being ended already
        }
        if (failure != null) {
            limits(call).condemn(failure);
            completion.runCallback(() -> call.completeExceptionally(failure));
        }
        worker.kill();
        if (!worker.canBeKilled()) {
            new Grace(lane, call, worker, execution).begin();
        }
    }

    private static CallDeadlines limits(HostCall<?> call) {
        return java.util.Objects.requireNonNull(call.deadlines);
    }

    /** Keeps the worker from entering anything else, and looks whether the call has been answered. */
    private boolean isStillHeld(Lane lane, HostCall<?> call) {
        lane.view().requestVolatile(LaneLayout.REQUEST_HOLD);
        BellFence.sleeper(asymmetric); // HOLD -> drain; partner: publish a result -> load the request word
        drain(lane);
        if (lane.holds(call)) {
            return true;
        }
        lane.release();
        return false;
    }

    private void drain(Lane lane) {
        lane.drainPublished(completion::deliverDrained);
        Dispatcher calls = completion.dispatcher();
        if (calls.queued() > 0) { // whoever drains looks at the queue afterwards; not here, for that encodes
            completion.runCallback(calls::flush);
        }
    }

    /** The moment that an interrupted thread has to answer. */
    private final class Grace extends DeadlineWheel.Deadline {
        private final Lane lane;
        private final HostCall<?> call;
        private final HostWorker worker;
        private final Execution execution;
        private final long untilNanos = System.nanoTime() + THREAD_GRACE_NANOS;

        Grace(Lane lane, HostCall<?> call, HostWorker worker, Execution execution) {
            this.lane = lane;
            this.call = call;
            this.worker = worker;
            this.execution = execution;
        }

        void begin() {
            wheel.set(this, System.nanoTime() + THREAD_LOOK_NANOS);
        }

        @Override
        void expired(long nowNanos) {
            drain(lane);
            if (!lane.holds(call)) {
                supervisor().pardon(lane, execution);
                lane.release();
            } else if (nowNanos - untilNanos < 0 || !worker.tryAbandon()) {
                wheel.set(this, nowNanos + THREAD_LOOK_NANOS); // not over yet, or it is just about to answer
            } else {
                supervisor().abandoned(lane, execution, worker.activity());
            }
        }
    }
}

package dev.knitting.launch;

import dev.knitting.boot.LoopEnd;
import dev.knitting.boot.TaskResolver;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.codec.BufferLender;
import dev.knitting.codec.ReferenceTable;
import dev.knitting.doorbell.Bell;
import dev.knitting.doorbell.BellSleeper;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import dev.knitting.worker.RunGate;
import dev.knitting.worker.StartFailure;
import dev.knitting.worker.TracedWorkerLoop;
import dev.knitting.worker.WorkerLoop;
import dev.knitting.worker.WorkerThread;
import dev.knitting.worker.WorkerTrace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A worker that lives in a thread of the host. It cannot be killed: a task that does not end is left behind. */
public final class ThreadWorker {
    private final WorkerThread thread;
    private final WorkerLoop loop;
    private final RunGate gate;
    /** Written before {@link #ended} completes. */
    private volatile int endedBy = -1;

    private final CompletableFuture<@Nullable Throwable> ended = new CompletableFuture<>();

    private ThreadWorker(String name, int worker, LaneView lane, WorkerLoop loop, BellSleeper sleeper, RunGate gate) {
        this.loop = loop;
        this.gate = gate;
        this.thread = new WorkerThread(name, worker, () -> run(lane, loop, sleeper));
    }

    /**
     * Starts a worker's loop in a thread.
     *
     * @param references where payloads travel by reference, else null
     * @param lender where tasks get shared buffers
     * @param hostBell how the worker rings the host
     * @param sleeper on what the worker sleeps; closed at its end
     * @param asymmetric which bell fence the pool uses
     */
    public static ThreadWorker start(
            String name,
            int worker,
            SharedSegment segment,
            LaneView lane,
            WorkerConfig config,
            TaskResolver resolver,
            @Nullable ReferenceTable references,
            BufferLender lender,
            Bell hostBell,
            BellSleeper sleeper,
            boolean asymmetric) {
        SegmentHeaderView header = SegmentHeaderView.attach(segment);
        RunGate gate = new RunGate();
        WorkerLoop loop = config.debug() == 0
                ? new WorkerLoop(segment, header, lane, config, resolver, references)
                : TracedWorkerLoop.create(
                        segment,
                        header,
                        lane,
                        config,
                        resolver,
                        references,
                        WorkerTrace.ofThread(config, worker, header.epochPlain()));
        loop.guardedBy(gate);
        loop.borrowsFrom(lender);
        loop.linked(hostBell, sleeper, asymmetric);
        ThreadWorker started = new ThreadWorker(name, worker, lane, loop, sleeper, gate);
        started.thread.start();
        return started;
    }

    private void run(LaneView lane, WorkerLoop loop, BellSleeper sleeper) {
        Throwable failure = null;
        try (sleeper) {
            endedBy = loop.run();
            if (endedBy != LoopEnd.ABANDONED) {
                lane.stateRelease(WorkerState.STOPPED);
            }
        } catch (Throwable e) {
            failure = e;
            StartFailure.tell(e, lane);
            lane.stateRelease(WorkerState.FAILED);
        }
        try {
            loop.close();
        } finally {
            ended.complete(failure);
        }
    }

    /** Completes when the loop has ended: with null, or with what ended it. */
    public CompletableFuture<@Nullable Throwable> ended() {
        return ended;
    }

    /** How the loop ended, see {@link LoopEnd}; -1 while it has not, or if it failed. */
    public int endedBy() {
        return endedBy;
    }

    /** Interrupts the task that runs. */
    public void interrupt() {
        thread.interrupt();
    }

    /** Delivers what the host asked of the call that runs. Any thread. */
    public void deliverAborts() {
        loop.deliverAborts();
    }

    /**
     * Leaves the thread behind, if it runs a call that allows it: it will end by itself if the task ever does, and touches
     * its lane no more.
     *
     * @return whether it was left behind; if not, it is about to answer
     */
    public boolean tryAbandon() {
        if (!gate.tryAbandon()) {
            return false;
        }
        thread.setName("knitting-abandoned-" + thread.getName().substring("knitting-".length()));
        return true;
    }

    /** What the thread does at this moment, for a report. */
    public StackTraceElement[] stackTrace() {
        return thread.getStackTrace();
    }

    /** Waits for the loop's end; whether it has ended. */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        try {
            ended.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException("never completed exceptionally", e);
        }
    }
}

package dev.knitting.host;

import dev.knitting.Ended;
import dev.knitting.Inliner;
import dev.knitting.boot.TaskBody;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The host as a worker: one daemon thread, one call at a time; see {@link Inliner}. It has no queue: what it does not take
 * at once goes to a worker. Whoever removes the call that runs settles it: the thread when it is through, or {@link #close}.
 */
final class InlineLane {
    private static final long IDLE_SECONDS = 10;

    private final Inliner inliner;
    private final Completion completion;
    private final ExecutorService thread;
    /** The call that is run here, or null. */
    private final AtomicReference<@Nullable HostCall<?>> running = new AtomicReference<>();

    private volatile boolean closed;

    InlineLane(String poolName, Inliner inliner, Completion completion) {
        this.inliner = inliner;
        this.completion = completion;
        // Refused is a call that close has taken: it was there before, or its submitter sees that this is closed.
        this.thread = new ThreadPoolExecutor(
                0,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> Thread.ofPlatform()
                        .daemon()
                        .name("knitting-inline-" + poolName)
                        .unstarted(work),
                new ThreadPoolExecutor.DiscardPolicy());
    }

    boolean isBusy() {
        return running.get() != null;
    }

    /** Whether it may take a call: it is a hint, another thread may be faster. */
    boolean isFree() {
        return !closed && running.get() == null;
    }

    /**
     * Takes a call, if it is the host's turn and the host may run it.
     *
     * @param waiting calls in the host's queue
     */
    boolean offer(HostCall<?> call, Lane[] lanes, int waiting) {
        if (!isFree() || call.deadlines != null || !isTurn(lanes, waiting)) {
            return false;
        }
        TaskBody body = call.task.bodyOnHost();
        if (body == null || !running.compareAndSet(null, call)) {
            return false;
        }
        if (closed && running.compareAndSet(call, null)) {
            return false;
        }
        thread.execute(() -> run(call, body));
        return true;
    }

    private boolean isTurn(Lane[] lanes, int waiting) {
        long open = waiting;
        boolean idle = false;
        for (Lane lane : lanes) {
            long load = lane.outstanding() + lane.begunCount();
            open += load;
            idle |= load == 0 && lane.hasRoom();
        }
        return open >= inliner.threshold() && (inliner.place() == Inliner.Place.FIRST || !idle);
    }

    private void run(HostCall<?> call, TaskBody body) {
        if (call.isUnwanted()) {
            if (running.compareAndSet(call, null)) {
                call.neverRan();
                completion.deliver(call);
            }
        } else {
            CallerRuns.Ran ran = CallerRuns.run(call, body);
            Thread.interrupted(); // the task's, if it left one
            if (running.compareAndSet(call, null)) {
                call.setOutcome(ran.value(), ran.failed());
                call.publishArrival();
                completion.deliver(call);
            }
        }
        completion.dispatcher().flush();
    }

    /** Takes no more calls; what runs goes on, but fails for this reason. The thread ends after it. */
    void close(RuntimeException reason) {
        closed = true;
        HostCall<?> call = running.getAndSet(null);
        if (call != null) {
            call.fail(reason, Ended.LOST);
            completion.deliver(call);
        }
        thread.shutdown();
    }
}

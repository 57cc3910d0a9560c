package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.doorbell.Bell;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.SharedSegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The way of one worker from a prepared lane to READY, and what is said if it does not get there. */
final class WorkerStarts {
    private static final long POLL_NANOS = 100_000;
    private static final long EXIT_NANOS = 2_000_000_000L;
    /** A JVM names one refused option at a time. */
    private static final int MOST_AGAIN = 8;

    private final PoolOptions options;
    private final WorkerConfig config;
    private final PoolSegments segments;
    private final HostBells bells;
    private final WorkerStarter starter;
    private final HostTrace trace;
    /** The monitor that places are guarded by. */
    private final Object guard;
    /** Whether the pool closes. */
    private final BooleanSupplier stopping;
    /** The mailbox that all workers serve, or null if each has its own. */
    private final @Nullable SharedMailbox shared;
    /** Does what takes long, such as making a large buffer. */
    private final Executor background;

    WorkerStarts(
            PoolOptions options,
            WorkerConfig config,
            PoolSegments segments,
            HostBells bells,
            WorkerStarter starter,
            HostTrace trace,
            Object guard,
            BooleanSupplier stopping,
            @Nullable SharedMailbox shared,
            Executor background) {
        this.background = background;
        this.options = options;
        this.config = config;
        this.segments = segments;
        this.bells = bells;
        this.starter = starter;
        this.trace = trace;
        this.guard = guard;
        this.stopping = stopping;
        this.shared = shared;
    }

    /** A lane in this place, prepared for its next incarnation. No worker may be attached. */
    Lane newLane(int index, int incarnation, long submitStart, long returnStart) {
        Lane lane = prepared(index, incarnation, submitStart, returnStart);
        lane.lends(segments.buffersOf(index), background);
        return lane;
    }

    private Lane prepared(int index, int incarnation, long submitStart, long returnStart) {
        SharedSegment segment = segments.segmentOf(index);
        LaneView view = new LaneView(segment.memory(), segments.laneOffsetOf(index));
        view.resetForIncarnation(incarnation, submitStart, returnStart);
        Bell bell = new Bell(
                segment.memory(),
                view.workerBellOffset(),
                bells.ringerFor(index, segment.memory(), view.workerBellOffset()),
                config.asymmetric());
        boolean byReference = options.isolation() == dev.knitting.Isolation.THREADS && !options.copyArguments();
        if (shared != null) {
            view.requestVolatile(LaneLayout.REQUEST_HOLD); // until it has a seat: nobody takes its results before
        }
        if (shared != null) {
            shared.starts(index);
            return new Lane(
                    index,
                    segment,
                    view,
                    bell,
                    config.arenaBytes(),
                    options.payload().maxBytes(),
                    byReference,
                    shared);
        }
        return new Lane(
                index,
                segment,
                view,
                bell,
                config.arenaBytes(),
                options.payload().maxBytes(),
                byReference);
    }

    /** Starts the worker of a place, whose lane was prepared. Returns before it is ready. */
    void start(Place place) {
        Lane lane;
        synchronized (guard) {
            lane = place.lane;
            place.incarnation++;
            place.startedNanos = System.nanoTime();
        }
        if (place.incarnation > 1) {
            segments.restore(place.index);
        }
        trace.starting(place.index, place.incarnation);
        HostWorker worker = starter.start(place.index, lane.view(), lane);
        Restrictions.adjustOomScore(options, worker.pid());
        lane.view().workerPidOpaque(worker.pid());
        lane.controlledBy(worker::deliverAborts);
        synchronized (guard) {
            place.worker = worker;
        }
        trace.started(place.index, place.incarnation, worker);
    }

    /** For a worker whose JVM did not begin: it is the same incarnation. */
    private HostWorker startAgain(Place place) {
        synchronized (guard) {
            place.incarnation--;
        }
        start(place);
        return place.worker();
    }

    /**
     * Waits until the worker of a place accepts calls. One whose JVM refuses an option that it can do without is started
     * again.
     *
     * @throws KnittingException STARTUP_FAILED or the worker's own code, INTERRUPTED, POOL_CLOSED
     */
    void awaitReady(Place place, long deadline) {
        Lane lane = place.lane;
        HostWorker worker = place.worker();
        int again = 0;
        while (true) {
            int state = lane.view().stateAcquire();
            if (state == WorkerState.READY) {
                trace.ready(place.index, place.incarnation, place.startedNanos);
                return;
            }
            if (state == WorkerState.FAILED) {
                throw startFailure(lane);
            }
            if (!worker.isAlive() && lane.view().stateAcquire() != WorkerState.FAILED) {
                KnittingException ended = exitedAtStart(worker);
                boolean ran = lane.view().stateAcquire() != WorkerState.STARTING;
                if (ran || again++ == MOST_AGAIN || !starter.leaveOutRefused(ended.getMessage())) {
                    throw ended;
                }
                worker = startAgain(place);
            }
            if (stopping.getAsBoolean()) {
                throw Failures.poolClosed(options.name());
            }
            if (System.nanoTime() - deadline >= 0 && !options.debugWorkers()) {
                throw KnittingException.of(
                        ErrorCode.STARTUP_FAILED,
                        "the worker did not become ready",
                        "pool",
                        options.name(),
                        "worker",
                        place.index,
                        "limit",
                        options.startTimeout(),
                        "option",
                        "startTimeout");
            }
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw KnittingException.of(
                        ErrorCode.INTERRUPTED, "interrupted while the workers started", "pool", options.name());
            }
            LockSupport.parkNanos(this, POLL_NANOS);
        }
    }

    private KnittingException startFailure(Lane lane) {
        ErrorCode code;
        try {
            code = ErrorCode.of(lane.view().errorCodePlain());
        } catch (IllegalArgumentException e) {
            code = ErrorCode.STARTUP_FAILED;
        }
        return KnittingException.of(
                code,
                "the worker could not start",
                "pool",
                options.name(),
                "worker",
                lane.index(),
                "reason",
                lane.view().errorTextPlain());
    }

    private KnittingException exitedAtStart(HostWorker worker) {
        CompletableFuture<Ending> end = new CompletableFuture<>();
        worker.onEnd(end::complete);
        String how;
        try {
            how = end.get(EXIT_NANOS, TimeUnit.NANOSECONDS).description();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            how = "interrupted";
        } catch (ExecutionException | TimeoutException e) {
            how = String.valueOf(e);
        }
        return KnittingException.of(
                ErrorCode.STARTUP_FAILED,
                "the worker ended before it was ready",
                "pool",
                options.name(),
                "reason",
                how);
    }
}

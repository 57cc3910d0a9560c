package dev.knitting.host;

import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.doorbell.Bell;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.SharedSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Starts the workers, waits until they are ready, learns of their ends and replaces them.
 *
 * <p>The end of a worker, in order: (1) its lane hands out no more tickets; (2) results that it published are drained:
 * they count; (3) calls that it had entered fail with the true reason, the others go back to the front of the queue;
 * (4) when nobody reads its return arena any more, a new incarnation starts on the same lane. An end that the pool asked
 * for is no crash.
 */
final class Supervisor {
    private static final long POLL_NANOS = 100_000;
    private static final long STOP_ACK_NANOS = 50_000_000;
    private static final long EXIT_NANOS = 2_000_000_000L;
    private static final int MOST_START_ATTEMPTS = 10;
    private static final int MOST_BACK_OFFS = 20;
    private static final long BACK_OFF_NANOS = 50_000_000;
    private static final long QUICK_DEATH_NANOS = 5_000_000_000L;

    /** One worker: its current lane and incarnation. Guarded by the supervisor's monitor once the pool is open. */
    private static final class Seat {
        final int index;
        int incarnation;
        int quickDeaths;
        long startedNanos;

        @Nullable
        HostWorker worker;

        Seat(int index) {
            this.index = index;
        }
    }

    private final PoolOptions options;
    private final WorkerConfig config;
    private final PoolSegments segments;
    private final HostBells bells;
    private final WorkerStarter starter;
    private final Completion completion;
    private final HostTrace trace;
    private final List<Seat> seats = new ArrayList<>();
    private final Lane[] lanes;
    private volatile boolean stopping;
    private boolean over;

    Supervisor(
            PoolOptions options,
            WorkerConfig config,
            PoolSegments segments,
            HostBells bells,
            WorkerStarter starter,
            Completion completion,
            HostTrace trace) {
        this.options = options;
        this.config = config;
        this.segments = segments;
        this.bells = bells;
        this.starter = starter;
        this.completion = completion;
        this.trace = trace;
        this.lanes = new Lane[options.workers()];
        for (int i = 0; i < lanes.length; i++) {
            seats.add(new Seat(i));
            lanes[i] = newLane(i, 1, 0, 0);
        }
    }

    /** The lanes of the first incarnations. */
    Lane[] lanes() {
        return lanes.clone();
    }

    private Lane newLane(int index, int incarnation, long submitStart, long returnStart) {
        SharedSegment segment = segments.segmentOf(index);
        LaneView view = new LaneView(segment.memory(), segments.laneOffsetOf(index));
        view.resetForIncarnation(incarnation, submitStart, returnStart);
        Bell bell = new Bell(
                segment.memory(),
                view.workerBellOffset(),
                bells.ringerFor(index, segment.memory(), view.workerBellOffset()),
                config.asymmetric());
        boolean byReference = options.isolation() == dev.knitting.Isolation.THREADS && !options.copyArguments();
        return new Lane(
                index,
                segment,
                view,
                bell,
                config.arenaBytes(),
                options.payload().maxBytes(),
                byReference);
    }

    // ---- start

    /**
     * Starts all workers and waits until they accept calls.
     *
     * @throws KnittingException STARTUP_FAILED or the worker's own code; the caller then closes everything
     */
    void startAll() {
        long deadline = System.nanoTime() + options.startTimeout().toNanos();
        for (Seat seat : seats) {
            start(seat, lanes[seat.index]);
        }
        for (Seat seat : seats) {
            awaitReady(seat, lanes[seat.index], deadline);
        }
        for (Seat seat : seats) {
            Lane lane = lanes[seat.index];
            worker(seat).onEnd(failure -> ended(seat, lane, failure));
        }
    }

    private void start(Seat seat, Lane lane) {
        seat.incarnation++;
        seat.startedNanos = System.nanoTime();
        trace.starting(seat.index, seat.incarnation);
        HostWorker worker = starter.start(seat.index, lane.view(), lane);
        seat.worker = worker;
        lane.controlledBy(worker::deliverAborts);
        trace.started(seat.index, seat.incarnation, worker);
    }

    private static HostWorker worker(Seat seat) {
        return java.util.Objects.requireNonNull(seat.worker, "not started");
    }

    private void awaitReady(Seat seat, Lane lane, long deadline) {
        HostWorker worker = worker(seat);
        while (true) {
            int state = lane.view().stateAcquire();
            if (state == WorkerState.READY) {
                trace.ready(seat.index, seat.incarnation, seat.startedNanos);
                return;
            }
            if (state == WorkerState.FAILED) {
                throw startFailure(lane);
            }
            if (!worker.isAlive() && lane.view().stateAcquire() != WorkerState.FAILED) {
                throw exitedAtStart(worker);
            }
            if (stopping) {
                throw Failures.poolClosed(options.name());
            }
            if (System.nanoTime() - deadline >= 0 && !options.debugWorkers()) {
                throw KnittingException.of(
                        ErrorCode.STARTUP_FAILED,
                        "the worker did not become ready",
                        "pool",
                        options.name(),
                        "worker",
                        seat.index,
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
        java.util.concurrent.CompletableFuture<KnittingException> end = new java.util.concurrent.CompletableFuture<>();
        worker.onEnd(end::complete);
        String how;
        try {
            how = String.valueOf(end.get(EXIT_NANOS, TimeUnit.NANOSECONDS).getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            how = "interrupted";
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            how = String.valueOf(e);
        }
        return KnittingException.of(
                ErrorCode.STARTUP_FAILED,
                "the worker ended before it was ready",
                "pool",
                options.name(),
                "reason",
                how.substring(how.indexOf(':') + 1).strip());
    }

    // ---- end

    private void ended(Seat seat, Lane lane, KnittingException failure) {
        trace.ended(seat.index, seat.incarnation, failure, stopping);
        Dispatcher calls = completion.dispatcher();
        List<HostCall<?>> again = List.of();
        calls.expectRequeue();
        try {
            synchronized (this) {
                if (!over) {
                    again = recover(lane, failure);
                }
            }
        } finally {
            calls.requeue(again); // encodes: user code, so not under the monitor
        }
        if (stopping) {
            return;
        }
        Thread replacing = new Thread(null, () -> replace(seat, lane), "knitting-replace-" + options.name());
        replacing.setDaemon(true);
        replacing.start();
    }

    /** Settles what the dead worker held; returns the calls that it had not entered. It can write no more. */
    private List<HostCall<?>> recover(Lane lane, KnittingException failure) {
        lane.close();
        HostCall<?> drained;
        while ((drained = lane.drain(true)) != null) {
            completion.deliverDrained(drained);
        }
        List<HostCall<?>> again = new ArrayList<>();
        for (HostCall<?> call : lane.takeUnfinished()) {
            if (stopping) {
                call.fail(Failures.poolClosed(options.name()), lane.wasEntered(call) ? Ended.KILLED : Ended.NEVER_RAN);
                completion.deliver(call);
            } else if (lane.wasEntered(call)) {
                call.fail(failure, Ended.LOST);
                completion.deliver(call);
            } else {
                again.add(call);
            }
        }
        return again;
    }

    private void replace(Seat seat, Lane dead) {
        while (dead.heldSpans() > 0 && !stopping) {
            LockSupport.parkNanos(this, POLL_NANOS);
        }
        // Whatever ended the last one (a lack of memory, an operator) may end its replacement too, before it is ready.
        int attempt = 1;
        while (!tryReplace(seat, dead, attempt == MOST_START_ATTEMPTS)) {
            attempt++;
        }
    }

    /** Whether nothing is left to try. */
    private boolean tryReplace(Seat seat, Lane dead, boolean last) {
        backOff(seat);
        synchronized (this) {
            if (stopping) {
                return true;
            }
            Lane lane = newLane(seat.index, seat.incarnation + 1, dead.nextTicket(), dead.nextResult());
            try {
                start(seat, lane);
                awaitReady(
                        seat, lane, System.nanoTime() + options.startTimeout().toNanos());
            } catch (KnittingException e) {
                trace.notStarted(seat.index, seat.incarnation, e);
                lane.close();
                if (endFailedStart(seat) && !last && !stopping) {
                    return false;
                }
                giveUp(e);
                return true;
            }
            worker(seat).onEnd(failure -> ended(seat, lane, failure));
            completion.dispatcher().replace(lane);
            return true;
        }
    }

    /** Whether the worker that did not get ready can write no more: only then its lane can be used again. */
    private static boolean endFailedStart(Seat seat) {
        HostWorker worker = seat.worker;
        if (worker == null) {
            return true;
        }
        worker.kill();
        try {
            return worker.awaitEnd(EXIT_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts this thread; if so, the seat is given up
            return false;
        }
    }

    /** Workers that die soon after their start are replaced ever more slowly. */
    private void backOff(Seat seat) {
        long now = System.nanoTime();
        seat.quickDeaths = now - seat.startedNanos < QUICK_DEATH_NANOS ? seat.quickDeaths + 1 : 0;
        long until = now + BACK_OFF_NANOS * Math.max(0, Math.min(seat.quickDeaths, MOST_BACK_OFFS) - 1);
        while (!stopping && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(this, POLL_NANOS);
        }
    }

    /** A worker that cannot be replaced: its seat stays empty; without any seat left the pool fails what waits. */
    private void giveUp(KnittingException reason) {
        if (stopping) {
            return; // the pool closes: nobody misses the worker
        }
        System.getLogger("dev.knitting").log(System.Logger.Level.ERROR, "a worker could not be replaced", reason);
        for (Lane other : completion.dispatcher().lanes()) {
            if (other.isOpen()) {
                return;
            }
        }
        completion.dispatcher().close();
        completion.dispatcher().failQueued();
    }

    // ---- stop

    /** Asks all workers to end, waits a moment, kills what is left. Calls that are open then fail. */
    void stopAll(boolean orderly) {
        stopping = true;
        trace.stopping(orderly);
        List<Lane> current = List.of(completion.dispatcher().lanes());
        for (Lane lane : current) {
            lane.close();
            lane.view().stopVolatile();
            lane.ringWorker();
        }
        if (orderly) {
            long deadline = System.nanoTime() + STOP_ACK_NANOS;
            for (Lane lane : current) {
                awaitStopped(lane, deadline);
            }
        }
        boolean interrupted = Thread.interrupted();
        synchronized (this) {
            if (!orderly) {
                // Before the interrupts: what a task makes of its interrupt is no result of the call.
                for (Lane lane : current) {
                    recover(lane, Failures.poolClosed(options.name()));
                }
            }
            long deadline = System.nanoTime() + EXIT_NANOS;
            for (Seat seat : seats) {
                interrupted |= end(seat, orderly, deadline);
            }
            for (Lane lane : current) {
                recover(lane, Failures.poolClosed(options.name()));
            }
            over = true;
        }
        trace.stopped();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitStopped(Lane lane, long deadline) {
        while (lane.view().stateAcquire() == WorkerState.READY && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(lane, POLL_NANOS);
        }
    }

    private boolean end(Seat seat, boolean orderly, long deadline) {
        HostWorker worker = seat.worker;
        if (worker == null) {
            return false;
        }
        boolean interrupted = false;
        while (true) {
            try {
                boolean stopped = orderly && lanesState(seat) == WorkerState.STOPPED;
                if (!stopped || !worker.awaitEnd(Math.max(1, deadline - System.nanoTime()))) {
                    worker.kill();
                    worker.awaitEnd(EXIT_NANOS);
                }
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private int lanesState(Seat seat) {
        return completion.dispatcher().lanes()[seat.index].view().stateAcquire();
    }

    /** Runs something once every worker has ended; on the thread that learns of the last end. */
    void whenOver(Runnable work) {
        AtomicInteger alive = new AtomicInteger(1);
        for (Seat seat : seats) {
            if (seat.worker != null) {
                alive.incrementAndGet();
                seat.worker.onEnd(failure -> countDown(alive, work));
            }
        }
        countDown(alive, work);
    }

    private static void countDown(AtomicInteger alive, Runnable work) {
        if (alive.decrementAndGet() == 0) {
            work.run();
        }
    }

    /** Whether every worker has ended, so that the memory can be unmapped. */
    boolean isOver() {
        for (Seat seat : seats) {
            if (seat.worker != null && seat.worker.isAlive()) {
                return false;
            }
        }
        return true;
    }
}

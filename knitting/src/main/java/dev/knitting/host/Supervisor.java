package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.WorkerEnd;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.WorkerState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Starts the workers, waits until they are ready, learns of their ends and replaces them.
 *
 * <p>The end of a worker, in order: (1) its lane hands out no more tickets; (2) what it held is settled ({@link Recovery});
 * (3) a spare takes its seat, if one is ready; (4) when nobody reads its return arena any more, a new incarnation starts
 * in its place; (5) when that is ready it takes a seat that is vacant, or becomes a spare. An end that the pool asked for
 * is no crash.
 *
 * <p>Monitor: places, seats, recovery. Not held while a worker starts, while one is awaited, or while calls are queued
 * again, which encodes.
 */
final class Supervisor {
    private static final long POLL_NANOS = 100_000;
    private static final long STOP_ACK_NANOS = 50_000_000;
    private static final long EXIT_NANOS = 2_000_000_000L;
    /** After so many failed starts in a row, without a worker left, waiting calls are told. */
    private static final int FAILURES_BEFORE_STALL = 6;

    private static final long FIRST_BACK_OFF_NANOS = 50_000_000L;
    private static final long LONGEST_BACK_OFF_NANOS = 10_000_000_000L;
    private static final int MOST_DOUBLINGS = 8;

    private final PoolOptions options;
    private final WorkerStarts starts;
    private final Completion completion;
    private final HostTrace trace;
    private final ListenerEvents events;
    private final List<Place> places = new ArrayList<>();
    private final Queue<Integer> vacantSeats = new ArrayDeque<>();
    /** Thread workers that were left behind and may still run. */
    private final List<HostWorker> abandoned = new ArrayList<>();
    /** Threads that replace a worker. */
    private int replacing;
    /** Workers whose end was not dealt with yet. */
    private int unreported;

    private volatile boolean stopping;
    private boolean over;

    Supervisor(
            PoolOptions options,
            WorkerConfig config,
            PoolSegments segments,
            HostBells bells,
            WorkerStarter starter,
            Completion completion,
            HostTrace trace,
            ListenerEvents events,
            @Nullable SharedMailbox shared) {
        this.options = options;
        this.starts = new WorkerStarts(
                options,
                config,
                segments,
                bells,
                starter,
                trace,
                this,
                () -> stopping,
                shared,
                completion::runCallback);
        this.completion = completion;
        this.trace = trace;
        this.events = events;
        for (int i = 0; i < options.places(); i++) {
            places.add(new Place(i, starts.newLane(i, 1, 0, 0)));
        }
    }

    /** The lanes of the first incarnations, by seat. */
    Lane[] lanes() {
        Lane[] lanes = new Lane[options.workers()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = places.get(i).lane;
        }
        return lanes;
    }

    // ---- start

    /**
     * Starts all workers and waits until they accept calls; spares start when they do.
     *
     * @throws KnittingException STARTUP_FAILED or the worker's own code; the caller then closes everything
     */
    void startAll() {
        long deadline = System.nanoTime() + options.startTimeout().toNanos();
        List<Place> workers = places.subList(0, options.workers());
        for (Place place : workers) {
            starts.start(place);
        }
        for (Place place : workers) {
            starts.awaitReady(place, deadline);
        }
        for (Place place : workers) {
            synchronized (this) {
                place.seat = place.index;
                place.ready = true;
            }
            place.lane.release();
            watch(place);
        }
        for (Place place : places.subList(options.workers(), places.size())) {
            replaceInBackground(place);
        }
    }

    /** From now on the end of a worker that was ready is noticed. It may have ended meanwhile. */
    private void watch(Place place) {
        Lane lane;
        HostWorker worker;
        synchronized (this) {
            lane = place.lane;
            worker = place.worker();
            unreported++;
        }
        events.started(place.index, worker.pid());
        worker.onEnd(ending -> ended(place, lane, worker, ending));
    }

    // ---- end

    private void ended(Place place, Lane lane, HostWorker worker, Ending seen) {
        Dispatcher calls = completion.dispatcher();
        Recovery recovery = new Recovery(options.name(), completion);
        Ending ending = seen;
        calls.expectRequeue();
        try {
            synchronized (this) {
                if (place.lane != lane) {
                    return; // left behind long ago: the place belongs to another incarnation
                }
                if (!over) {
                    ending = trueReason(place, seen.refine(lane.view(), worker.exitCode()));
                    if (stopping) {
                        recovery.ofClosedPool(lane);
                    } else {
                        recovery.ofWorker(place, ending);
                    }
                }
                leaveSeat(place);
            }
        } finally {
            calls.requeue(recovery.again()); // encodes: user code, so not under the monitor
        }
        calls.wakeOthers(); // this one may have been rung for a call that it had not claimed
        trace.ended(place.index, place.incarnation, ending);
        report(place.index, worker, ending, recovery.lost() + place.callsLost);
        if (!stopping) {
            replaceInBackground(place);
        }
    }

    /** First cause wins: what the pool ended is no crash. Under the monitor. */
    private Ending trueReason(Place place, Ending seen) {
        Execution execution = place.execution;
        if (execution != null) {
            return new Ending(execution.reason(), seen.code(), false, seen.description());
        }
        if (stopping) {
            boolean asked = place.lane.view().stateAcquire() == WorkerState.STOPPED;
            return new Ending(WorkerEnd.Reason.CLOSED, ErrorCode.POOL_CLOSED, asked, seen.description());
        }
        return seen;
    }

    private void report(int worker, HostWorker ended, Ending ending, int lost) {
        events.ended(new WorkerEnd(worker, ended.pid(), ending.reason(), ending.orderly(), lost, ending.description()));
        synchronized (this) {
            unreported--;
            notifyAll();
        }
    }

    /** Under the monitor: a spare takes the seat, or it stays vacant for whoever is ready next. */
    private void leaveSeat(Place place) {
        place.ready = false;
        int seat = place.seat;
        if (seat == Place.NO_SEAT) {
            return;
        }
        place.seat = Place.NO_SEAT;
        for (Place spare : places) {
            if (spare.ready && spare.seat == Place.NO_SEAT) {
                spare.seat = seat;
                completion.dispatcher().replace(seat, spare.lane);
                spare.lane.release();
                return;
            }
        }
        vacantSeats.add(seat);
    }

    // ---- ends by force

    /** The worker that uses a lane, or null if it has ended. */
    synchronized @Nullable HostWorker workerOf(Lane lane) {
        Place place = places.get(lane.index());
        return place.lane == lane && place.ready ? place.worker : null;
    }

    /** Marks a worker as one that the pool ends; false if it does so already, or if it has ended. */
    synchronized boolean condemn(Lane lane, Execution execution) {
        Place place = places.get(lane.index());
        if (place.lane != lane || !place.ready || place.execution != null) {
            return false;
        }
        place.execution = execution;
        return true;
    }

    /** The worker answered after all. */
    @SuppressWarnings("ReferenceEquality") // this very one
    synchronized void pardon(Lane lane, Execution execution) {
        Place place = places.get(lane.index());
        if (place.execution == execution) {
            place.execution = null;
        }
    }

    /** A thread worker was left behind: goes on as if it had ended. */
    void abandoned(Lane lane, Execution execution, String activity) {
        Place place = places.get(lane.index());
        HostWorker worker;
        int left;
        synchronized (this) {
            if (place.lane != lane) {
                return;
            }
            worker = place.worker();
            abandoned.removeIf(each -> !each.isAlive());
            abandoned.add(worker);
            left = abandoned.size();
        }
        String text = KnittingException.message(
                "a worker thread was left behind: its task does not end when it is interrupted",
                "pool",
                options.name(),
                "worker",
                lane.index(),
                "task",
                execution.culprit().task.target(),
                "leftBehind",
                left,
                "stack",
                activity);
        System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, text);
        Ending ending = new Ending(execution.reason(), ErrorCode.WORKER_LOST, false, text);
        completion.runCallback(() -> ended(place, lane, worker, ending)); // encodes: not on the wheel's thread
    }

    /** Replaces every worker and spare. Returns at once. */
    void recycle() {
        List<Lane> retiring = new ArrayList<>();
        synchronized (this) {
            for (Place place : places) {
                if (stopping) {
                    return;
                }
                place.retiring = true; // one that starts just now retires when it is ready
                if (place.ready) {
                    place.lane.close();
                    retiring.add(place.lane);
                }
            }
        }
        retiring.forEach(Supervisor::retire);
    }

    private static void retire(Lane lane) {
        lane.close();
        lane.view().requestVolatile(LaneLayout.REQUEST_RETIRE);
        lane.ringWorker();
    }

    // ---- replacement

    private void replaceInBackground(Place place) {
        synchronized (this) {
            replacing++;
        }
        Thread thread = new Thread(null, () -> replace(place), "knitting-replace-" + options.name());
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // No thread to be had just now. This one is the dead worker's own, or the wheel's: late is better than
            // never.
            System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, "no thread to replace a worker with", e);
            replace(place);
        }
    }

    private void replace(Place place) {
        try {
            Lane dead = place.lane;
            while (dead.heldSpans() > 0 && !stopping) {
                LockSupport.parkNanos(this, POLL_NANOS);
            }
            while (!stopping && !tryReplace(place)) {
                backOff(place);
            }
        } finally {
            synchronized (this) {
                replacing--;
                notifyAll();
            }
        }
    }

    /** Whether a new incarnation is ready. Whatever ended the last one may end this one too, before it is ready. */
    private boolean tryReplace(Place place) {
        try {
            synchronized (this) {
                if (stopping) {
                    return false;
                }
                Lane dead = place.lane;
                place.renew(starts.newLane(place.index, place.incarnation + 1, dead.nextTicket(), dead.nextResult()));
            }
            starts.start(place);
            starts.awaitReady(place, System.nanoTime() + options.startTimeout().toNanos());
            seat(place);
            return true;
        } catch (RuntimeException | Error e) {
            startFailed(place, e);
            return false;
        }
    }

    /** The new worker takes a vacant seat, or becomes a spare. */
    private void seat(Place place) {
        boolean outdated;
        synchronized (this) {
            if (stopping) {
                throw Failures.poolClosed(options.name());
            }
            place.ready = true;
            place.failures = 0;
            outdated = place.retiring;
            Integer seat = outdated ? null : vacantSeats.poll();
            if (seat != null) {
                place.seat = seat;
                completion.dispatcher().replace(seat, place.lane);
                place.lane.release();
            }
        }
        watch(place);
        if (outdated) {
            retire(place.lane);
        }
        completion.dispatcher().flush();
        completion.submitted();
    }

    private void startFailed(Place place, Throwable failure) {
        KnittingException reason = failure instanceof KnittingException known
                ? known
                : new KnittingException(
                        ErrorCode.STARTUP_FAILED, "the worker could not be started: " + failure, failure);
        trace.notStarted(place.index, place.incarnation, reason);
        place.lane.close();
        HostWorker worker = place.worker;
        if (worker != null) {
            // One that is ready after all sleeps, and a thread that is interrupted while it sleeps just sleeps on.
            place.lane.view().requestVolatile(LaneLayout.REQUEST_STOP);
            place.lane.ringWorker();
            worker.kill();
            try {
                while (!worker.awaitEnd(EXIT_NANOS)) {
                    worker.kill(); // until then its lane cannot be used again
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // nobody interrupts this thread
            }
        }
        if (stopping) {
            return; // the pool closes: nobody misses the worker
        }
        synchronized (this) {
            place.failures++;
        }
        events.ended(new WorkerEnd(
                place.index,
                worker == null ? -1 : worker.pid(),
                WorkerEnd.Reason.STARTUP_FAILED,
                false,
                0,
                String.valueOf(reason.getMessage())));
        if (place.failures == FAILURES_BEFORE_STALL) {
            System.getLogger("dev.knitting")
                    .log(System.Logger.Level.ERROR, "a worker cannot be replaced; the pool goes on trying", reason);
        }
        if (place.failures >= FAILURES_BEFORE_STALL && tryStall(reason)) {
            completion.dispatcher().failStalled(reason);
        }
    }

    /** Says that no worker can be started, unless one is ready. */
    private synchronized boolean tryStall(KnittingException reason) {
        for (Place place : places) {
            if (place.ready) {
                return false;
            }
        }
        completion.dispatcher().stall(reason);
        return true;
    }

    /** Ever longer pauses between starts that fail. */
    private void backOff(Place place) {
        int doublings = Math.clamp(place.failures - 1, 0, MOST_DOUBLINGS);
        long until = System.nanoTime() + Math.min(FIRST_BACK_OFF_NANOS << doublings, LONGEST_BACK_OFF_NANOS);
        long left;
        while (!stopping && (left = until - System.nanoTime()) > 0) {
            LockSupport.parkNanos(this, Math.min(left, 100 * POLL_NANOS));
        }
    }

    // ---- stop

    /**
     * Asks all workers to end, waits a moment, kills what is left. Calls that are open then fail.
     *
     * @param orderly whether nothing runs any more, so that every worker should hear the request
     */
    void stopAll(boolean orderly) {
        List<Place> current = new ArrayList<>();
        trace.stopping(orderly);
        synchronized (this) {
            stopping = true;
            for (Place place : places) {
                if (place.worker != null) {
                    current.add(place);
                }
            }
            for (Place place : current) {
                place.lane.close();
                place.lane.view().requestVolatile(LaneLayout.REQUEST_STOP);
                place.lane.ringWorker();
            }
        }
        boolean interrupted = Thread.interrupted();
        List<Recovery> taken = List.of();
        if (orderly) {
            WorkerStops.awaitStopped(current, System.nanoTime() + STOP_ACK_NANOS);
        } else if (options.isolation() == Isolation.THREADS) {
            // Before the interrupts: what a task makes of its interrupt is no result of the call. (A process makes
            // nothing of its end, and only after it is it known which calls it had entered.)
            taken = takeAll(current);
        }
        WorkerStops.killAll(current);
        taken.forEach(Recovery::failTaken); // after the interrupts: who hears of the end may rely on them
        interrupted |= WorkerStops.awaitAll(current);
        interrupted |= awaitQuiet();
        synchronized (this) {
            recoverAll(current);
            over = true;
        }
        trace.stopped();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void recoverAll(List<Place> current) {
        takeAll(current).forEach(Recovery::failTaken);
    }

    private synchronized List<Recovery> takeAll(List<Place> current) {
        List<Recovery> all = new ArrayList<>();
        for (Place place : current) {
            Recovery recovery = new Recovery(options.name(), completion);
            recovery.takeOfClosedPool(place.lane);
            place.callsLost += recovery.lost();
            all.add(recovery);
        }
        return all;
    }

    /** Waits until no replacement is being started and every end of a process was told. Whether there was an interrupt. */
    private synchronized boolean awaitQuiet() {
        boolean processes = options.isolation() == dev.knitting.Isolation.PROCESSES;
        long deadline = System.nanoTime() + 2 * EXIT_NANOS;
        boolean interrupted = false;
        while (replacing > 0 || (processes && unreported > 0)) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    /** Runs something once every worker has ended; on the thread that learns of the last end. */
    void whenOver(Runnable work) {
        List<HostWorker> all = workers();
        AtomicInteger alive = new AtomicInteger(1 + all.size());
        all.forEach(worker -> worker.onEnd(ending -> countDown(alive, work)));
        countDown(alive, work);
    }

    private static void countDown(AtomicInteger alive, Runnable work) {
        if (alive.decrementAndGet() == 0) {
            work.run();
        }
    }

    /** Whether every worker has ended, so that the memory can be unmapped. */
    boolean isOver() {
        return workers().stream().noneMatch(HostWorker::isAlive);
    }

    private synchronized List<HostWorker> workers() {
        List<HostWorker> all = new ArrayList<>(abandoned);
        for (Place place : places) {
            if (place.worker != null) {
                all.add(place.worker);
            }
        }
        return all;
    }
}

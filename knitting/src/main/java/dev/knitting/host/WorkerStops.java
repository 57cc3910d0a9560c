package dev.knitting.host;

import dev.knitting.mailbox.WorkerState;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The end of all workers of a pool, after they were asked for it: bounded, whatever their tasks do. */
final class WorkerStops {
    private static final long POLL_NANOS = 100_000;
    private static final long EXIT_NANOS = 2_000_000_000L;

    private WorkerStops() {}

    /** Waits until every worker has acknowledged the request, at most until the deadline. */
    static void awaitStopped(List<Place> current, long deadline) {
        for (Place place : current) {
            while (isServing(place) && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(place, POLL_NANOS);
            }
        }
    }

    private static boolean isServing(Place place) {
        HostWorker worker = place.worker;
        return place.lane.view().stateAcquire() == WorkerState.READY && worker != null && worker.isAlive();
    }

    /** Ends every worker by force; those that acknowledged may exit by themselves. */
    static void killAll(List<Place> current) {
        for (Place place : current) {
            HostWorker worker = place.worker;
            if (worker != null && place.lane.view().stateAcquire() != WorkerState.STOPPED) {
                worker.kill();
            }
        }
    }

    /** After {@link #killAll}: waits until the workers have ended. Whether there was an interrupt. */
    static boolean awaitAll(List<Place> current) {
        boolean interrupted = awaitEnds(current);
        boolean anew = false;
        for (Place place : current) {
            HostWorker worker = place.worker;
            if (worker != null && worker.isAlive() && worker.canBeKilled()) {
                worker.kill(); // it said STOPPED and does not exit: a shutdown hook hangs
                anew = true;
            }
        }
        return (anew && awaitEnds(current)) || interrupted;
    }

    private static boolean awaitEnds(List<Place> current) {
        long deadline = System.nanoTime() + EXIT_NANOS;
        boolean interrupted = false;
        for (Place place : current) {
            HostWorker worker = place.worker;
            while (worker != null) {
                try {
                    worker.awaitEnd(Math.max(1, deadline - System.nanoTime()));
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        return interrupted;
    }
}

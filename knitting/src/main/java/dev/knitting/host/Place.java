package dev.knitting.host;

import org.jspecify.annotations.Nullable;

/**
 * Room for one worker: a lane's memory, and the worker that uses it now, in its incarnations. Guarded by the supervisor's
 * monitor, but for {@code index}, once the pool is open.
 *
 * <p>A place whose worker accepts calls has a seat in the dispatcher, or is a spare.
 */
final class Place {
    static final int NO_SEAT = -1;

    /** Number of the worker, of the lane's memory, of the bell. */
    final int index;

    int incarnation;
    Lane lane;

    @Nullable
    HostWorker worker;

    /** Position in the dispatcher's lanes, or {@link #NO_SEAT}: a spare, or not serving. */
    int seat = NO_SEAT;
    /** Whether the worker accepts calls, seated or spare. */
    boolean ready;
    /** Whether the pool asked this incarnation to retire. */
    boolean retiring;
    /** Why the pool ends this incarnation by force, or null. */
    @Nullable
    Execution execution;

    /** Starts in a row that led to nothing. */
    int failures;

    long startedNanos;

    /** Calls that were failed in advance because the pool closes. */
    int callsLost;

    Place(int index, Lane lane) {
        this.index = index;
        this.lane = lane;
    }

    /** Makes the place ready for another incarnation. */
    void renew(Lane next) {
        lane = next;
        worker = null;
        ready = false;
        retiring = false;
        execution = null;
    }

    HostWorker worker() {
        return java.util.Objects.requireNonNull(worker, "not started");
    }
}

package dev.knitting.host;

import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Settles what a worker held when it ended: it can write no more, or was left behind.
 *
 * <p>Results that it had published count. A call that it had not entered goes back to the queue, from the host's own copy.
 * A call that it had entered fails with the true reason, or runs again if it may. Every hand-over that ended so counts:
 * a call that outlives {@link #MOST_DELIVERIES} workers, and the runs that it may be given again, is given up.
 *
 * <p>By the supervisor, under its monitor.
 */
final class Recovery {
    /** Workers that may end under one call, beyond its own retries, before the call is suspected. */
    static final int MOST_DELIVERIES = 20;

    private final String poolName;
    private final Completion completion;

    /** Calls that go back to the queue, in their order. */
    private final List<HostCall<?>> again = new ArrayList<>();

    /** Calls that were taken out of their lane and are not settled yet. */
    private final List<HostCall<?>> taken = new ArrayList<>();

    private int lost;

    Recovery(String poolName, Completion completion) {
        this.poolName = poolName;
        this.completion = completion;
    }

    /** Calls to be queued again. */
    List<HostCall<?>> again() {
        return again;
    }

    /** Calls that were entered and are not answered. */
    int lost() {
        return lost;
    }

    /** What a place's worker held when it ended. */
    void ofWorker(Place place, Ending ending) {
        Lane lane = place.lane;
        for (HostCall<?> call : unfinished(lane)) {
            call.deliveriesLost++;
            if (lane.hadEntered(call)) {
                entered(place, call, ending);
            } else {
                again(call, false, ending.description());
            }
        }
    }

    /** What a lane holds when the pool closes: nothing that its worker does from now on is a result. */
    void takeOfClosedPool(Lane lane) {
        for (HostCall<?> call : unfinished(lane)) {
            boolean entered = lane.hadEntered(call);
            lost += entered ? 1 : 0;
            call.endedAs(entered ? Ended.KILLED : Ended.NEVER_RAN);
            taken.add(call);
            if (entered) {
                lane.abortTaken(call, "the pool is closed");
            }
        }
    }

    /** After {@link #takeOfClosedPool}: settles what was taken. */
    void failTaken() {
        for (HostCall<?> call : taken) {
            call.failAsEnded(Failures.poolClosed(poolName));
            completion.deliver(call);
        }
        taken.clear();
    }

    /** Both. */
    void ofClosedPool(Lane lane) {
        takeOfClosedPool(lane);
        failTaken();
    }

    private List<HostCall<?>> unfinished(Lane lane) {
        lane.close();
        lane.drainPublished(completion::deliverDrained);
        return lane.takeUnfinished();
    }

    private void entered(Place place, HostCall<?> call, Ending ending) {
        lost++;
        Execution execution = place.execution;
        KnittingException failure = execution == null ? ending.failure() : execution.failureOfBystander(place.index);
        if (execution != null && execution.culprit() == call) {
            KnittingException own = execution.failure();
            fail(
                    call,
                    own != null ? own : failure,
                    Ended.KILLED); // without one of its own it is settled already: nobody wants it
        } else if (call.runsLost < call.retries() && !call.isUnwanted()) {
            call.runsLost++;
            again(call, true, ending.description());
        } else {
            fail(call, failure, execution != null ? Ended.KILLED : Ended.LOST);
        }
    }

    private void again(HostCall<?> call, boolean mayHaveRun, String description) {
        if (call.deliveriesLost <= MOST_DELIVERIES + call.retries()) {
            call.runsAgain();
            again.add(call);
            return;
        }
        fail(
                call,
                KnittingException.of(
                        ErrorCode.CALL_POISONED,
                        "too many workers ended while they held the call",
                        "task",
                        call.task.target(),
                        "deliveries",
                        call.deliveriesLost,
                        "limit",
                        MOST_DELIVERIES + call.retries(),
                        "mayHaveRun",
                        mayHaveRun || call.runsLost > 0,
                        "last",
                        description),
                mayHaveRun || call.runsLost > 0 ? Ended.LOST : Ended.NEVER_RAN);
    }

    private void fail(HostCall<?> call, KnittingException failure, Ended how) {
        call.fail(failure, how);
        completion.deliver(call);
    }
}

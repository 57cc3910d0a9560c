package dev.knitting.host;

import dev.knitting.mailbox.AbortLayout;
import dev.knitting.mailbox.AbortView;
import dev.knitting.mailbox.LaneView;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The abort records of one lane, as the host writes them, and what does not fit them. A call's record is that of its id, and
 * of every call whose id differs by a multiple of their number: calls that have begun and are answered later may be so far
 * apart and open at once. The last one that somebody aborts gets the record; the one that had it is remembered, for the
 * worker may not have looked in between, and gets it again when a call that shares it was answered. A call that has not
 * begun in that sense keeps its record until it is answered, for its task may look at it at any time: others wait.
 *
 * <p>Monitor of this object.
 */
final class AbortRecords {
    private final AbortView records;
    private final LaneView lane;
    private final Predicate<HostCall<?>> isOpen;
    private final Predicate<HostCall<?>> isLookedAt;
    /** By record; the last one that was aborted. Null until somebody is. */
    private HostCall<?> @Nullable [] owners;
    /** By record: calls that lost it while they were open. */
    private final Map<Integer, ArrayDeque<HostCall<?>>> displaced = new HashMap<>();
    /** Whether there are any: whoever takes a result asks without the monitor. */
    private volatile boolean anyDisplaced;

    /**
     * The records of a lane.
     *
     * @param isOpen whether a call is in this lane and not answered
     * @param isLookedAt whether its task, besides, may look at its record at any time
     */
    AbortRecords(LaneView lane, Predicate<HostCall<?>> isOpen, Predicate<HostCall<?>> isLookedAt) {
        this.lane = lane;
        this.isOpen = isOpen;
        this.isLookedAt = isLookedAt;
        this.records = new AbortView(lane.window());
    }

    private static int recordOf(long callId) {
        return (int) callId & AbortLayout.RECORDS - 1;
    }

    /** Writes what is wanted of a call, or remembers the call. */
    synchronized void request(HostCall<?> call, long callId, int what, String reason) {
        int record = recordOf(callId);
        HostCall<?>[] all = owners;
        if (all == null) {
            all = new HostCall<?>[AbortLayout.RECORDS];
            owners = all;
        }
        HostCall<?> before = all[record];
        if (before != null && before != call && isOpen.test(before)) {
            boolean waits = isLookedAt.test(before);
            displaced.computeIfAbsent(record, key -> new ArrayDeque<>()).addLast(waits ? call : before);
            anyDisplaced = true;
            if (waits) {
                return;
            }
        }
        all[record] = call;
        records.requestRelease(callId, what, reason);
        lane.abortsVolatile();
    }

    /** Whether {@link #next} may find something. Any thread; a hint. */
    boolean anyDisplaced() {
        return anyDisplaced;
    }

    /** A call that shares the record of one that was answered, and lost it while it was open; null if there is none. */
    synchronized @Nullable HostCall<?> next(long callId) {
        ArrayDeque<HostCall<?>> waiting = displaced.get(recordOf(callId));
        while (waiting != null) {
            HostCall<?> call = waiting.pollFirst();
            if (waiting.isEmpty()) {
                displaced.remove(recordOf(callId));
                anyDisplaced = !displaced.isEmpty();
                waiting = null;
            }
            if (call != null && isOpen.test(call)) {
                return call;
            }
        }
        return null;
    }
}

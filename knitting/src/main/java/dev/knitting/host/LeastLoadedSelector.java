package dev.knitting.host;

import org.jspecify.annotations.Nullable;

/** An idle lane whose worker is awake, else an idle one, else the least loaded with room; null if none has. */
final class LeastLoadedSelector implements LaneSelector {
    /** Where the last call went: a warm, awake worker is preferred. A hint. */
    private int hint;

    @Override
    public @Nullable Lane select(Lane[] lanes) {
        if (lanes.length == 1) {
            return lanes[0].hasRoom() ? lanes[0] : null;
        }
        int start = hint;
        Lane best = null;
        int bestSeat = 0;
        long bestLoad = Long.MAX_VALUE;
        for (int i = 0; i < lanes.length; i++) {
            int seat = (start + i) % lanes.length;
            Lane lane = lanes[seat];
            if (!lane.hasRoom()) {
                continue;
            }
            long load = lane.outstanding() * 2 + (lane.isWorkerAsleep() ? 1 : 0);
            if (load == 0) {
                hint = seat;
                return lane;
            }
            if (load < bestLoad) {
                best = lane;
                bestSeat = seat;
                bestLoad = load;
            }
        }
        if (best != null) {
            hint = bestSeat;
        }
        return best;
    }
}

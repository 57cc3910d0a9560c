package dev.knitting.host;

import org.jspecify.annotations.Nullable;

/** The first lane that has nothing to do, by number; another selector's choice if there is none. */
final class FirstIdleSelector implements LaneSelector {
    private final LaneSelector otherwise;

    FirstIdleSelector(LaneSelector otherwise) {
        this.otherwise = otherwise;
    }

    @Override
    public @Nullable Lane select(Lane[] lanes) {
        for (Lane lane : lanes) {
            if (lane.outstanding() == 0 && lane.hasRoom()) {
                return lane;
            }
        }
        return otherwise.select(lanes);
    }
}

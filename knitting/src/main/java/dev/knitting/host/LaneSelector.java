package dev.knitting.host;

import dev.knitting.Balancer;
import org.jspecify.annotations.Nullable;

/** Chooses the lane of a call; see {@link Balancer}. Any number of threads at a time; what it remembers is a hint. */
interface LaneSelector {
    /** A lane with room, or null if none has. */
    @Nullable
    Lane select(Lane[] lanes);

    /** The selector of a balancer. */
    static LaneSelector of(@Nullable Balancer balancer) {
        return switch (balancer == null ? Balancer.LEAST_LOADED : balancer) {
            case LEAST_LOADED -> new LeastLoadedSelector();
            case ROUND_ROBIN -> CyclicSelector.roundRobin();
            case FIRST_IDLE -> new FirstIdleSelector(CyclicSelector.roundRobin());
            case RANDOM -> CyclicSelector.random();
            case FIRST_IDLE_OR_RANDOM -> new FirstIdleSelector(CyclicSelector.random());
        };
    }
}

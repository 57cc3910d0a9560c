package dev.knitting.host;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The lane that a counter or chance names, or the next one that has room. */
final class CyclicSelector implements LaneSelector {
    private final IntSupplier numbers;

    private CyclicSelector(IntSupplier numbers) {
        this.numbers = numbers;
    }

    /** One lane after the other. */
    static CyclicSelector roundRobin() {
        return new CyclicSelector(new AtomicInteger()::getAndIncrement);
    }

    /** Any lane. */
    static CyclicSelector random() {
        return new CyclicSelector(() -> ThreadLocalRandom.current().nextInt());
    }

    @Override
    public @Nullable Lane select(Lane[] lanes) {
        int start = Math.floorMod(numbers.getAsInt(), lanes.length);
        for (int i = 0; i < lanes.length; i++) {
            Lane lane = lanes[(start + i) % lanes.length];
            if (lane.hasRoom()) {
                return lane;
            }
        }
        return null;
    }
}

package dev.knitting.mailbox;

import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemorySegment;

/**
 * The word of one sleeper: OFF, ARMED, SIGNALLED.
 *
 * <p>The sleeper arms, fences, looks again at what it waits for, and only then sleeps as long as the word is ARMED. A
 * publisher looks at the word after its data is visible, and rings only by moving ARMED to SIGNALLED: a burst costs one
 * wake. Store-to-load order is needed on both sides; {@link BellFence} says how it is had.
 */
public final class BellWord {
    /** Nobody sleeps. */
    public static final int OFF = 0;
    /** A side sleeps, or is about to. */
    public static final int ARMED = 1;
    /** A publisher has rung since the last arming. */
    public static final int SIGNALLED = 2;

    private BellWord() {}

    /** The sleeper is about to sleep: fence, then look again, before it does. */
    public static void armVolatile(MemorySegment segment, long offset) {
        SharedWords.setIntVolatile(segment, offset, ARMED);
    }

    /** The sleeper is awake. A publisher that still sees ARMED rings for nothing, once. */
    public static void disarmRelease(MemorySegment segment, long offset) {
        SharedWords.setIntRelease(segment, offset, OFF);
    }

    /** Whether a side sleeps; after {@link BellFence#publisher}. */
    public static boolean isArmedOpaque(MemorySegment segment, long offset) {
        // opaque is enough: the fence before it orders it, and tryRing repeats it atomically
        return SharedWords.getIntOpaque(segment, offset) == ARMED;
    }

    /** Moves ARMED to SIGNALLED; the caller then wakes the sleeper, exactly once an arming. */
    public static boolean tryRing(MemorySegment segment, long offset) {
        return SharedWords.casIntVolatile(segment, offset, ARMED, SIGNALLED);
    }

    /** Takes a ring back that could not be delivered, unless the sleeper has moved on since. */
    public static void unring(MemorySegment segment, long offset) {
        SharedWords.casIntVolatile(segment, offset, SIGNALLED, ARMED);
    }
}

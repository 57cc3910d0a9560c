package dev.knitting.memory;

import java.lang.foreign.MemorySegment;

/**
 * Block copies between shared memory and byte arrays, without order: publication is somebody else's word.
 *
 * <p>They go through a buffer view. The first {@code MemorySegment.copy} in a JVM costs milliseconds (it spins up
 * pattern matching over segment kinds), which a starting worker would pay; a buffer does not.
 */
public final class SharedBytes {
    private SharedBytes() {}

    /**
     * Copies out of shared memory.
     *
     * @throws IndexOutOfBoundsException if either range is not inside
     */
    public static void copyOut(MemorySegment memory, long offset, byte[] target, int targetIndex, int bytes) {
        memory.asSlice(offset, bytes).asByteBuffer().get(0, target, targetIndex, bytes);
    }

    /**
     * Copies into shared memory.
     *
     * @throws IndexOutOfBoundsException if either range is not inside
     */
    public static void copyIn(byte[] source, int sourceIndex, MemorySegment memory, long offset, int bytes) {
        memory.asSlice(offset, bytes).asByteBuffer().put(0, source, sourceIndex, bytes);
    }
}

package dev.knitting.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Ordered access to aligned 32-bit and 64-bit words of shared memory, in native byte order. Each name ends with its
 * memory mode, so that the order is visible where it is used.
 *
 * <p>Two var handles serve the whole project: linking the first one is a good part of a worker's start, a second one of
 * the same kind costs next to nothing. Methods throw {@link IndexOutOfBoundsException} outside the segment, {@link
 * IllegalArgumentException} or {@link IllegalStateException} for an unaligned word in any mode, and {@link
 * IllegalStateException} once the segment is closed. Any thread may call.
 *
 * <p>The Java memory model speaks of one JVM. Between JVMs on one machine we rely on coherent memory and on the
 * instructions that these modes compile to.
 */
public final class SharedWords {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private SharedWords() {}

    /**
     * Links the var handles now. They are half of what a worker needs to start and have nothing to do with its segment:
     * a starting worker calls this in a background thread while it attaches.
     */
    public static void link() {
        // initialising the class does it
    }

    /** Reads a word without order; for words that nobody else writes at this time. */
    public static int getIntPlain(MemorySegment memory, long offset) {
        return (int) INT.get(memory, offset);
    }

    /** Reads a word whole and in a bounded time, without order. */
    public static int getIntOpaque(MemorySegment memory, long offset) {
        return (int) INT.getOpaque(memory, offset);
    }

    /** Reads a word; later accesses stay behind it. */
    public static int getIntAcquire(MemorySegment memory, long offset) {
        return (int) INT.getAcquire(memory, offset);
    }

    /** Reads a word in the one order that all volatile accesses share. */
    public static int getIntVolatile(MemorySegment memory, long offset) {
        return (int) INT.getVolatile(memory, offset);
    }

    /** Writes a word without order. */
    public static void setIntPlain(MemorySegment memory, long offset, int value) {
        INT.set(memory, offset, value);
    }

    /** Writes a word whole, visible in a bounded time, without order. */
    public static void setIntOpaque(MemorySegment memory, long offset, int value) {
        INT.setOpaque(memory, offset, value);
    }

    /** Writes a word; earlier accesses stay before it. */
    public static void setIntRelease(MemorySegment memory, long offset, int value) {
        INT.setRelease(memory, offset, value);
    }

    /** Writes a word in the one order that all volatile accesses share. */
    public static void setIntVolatile(MemorySegment memory, long offset, int value) {
        INT.setVolatile(memory, offset, value);
    }

    /** Replaces {@code expected} by {@code value}, volatile; whether it did. A failure is no fence on aarch64. */
    public static boolean casIntVolatile(MemorySegment memory, long offset, int expected, int value) {
        return INT.compareAndSet(memory, offset, expected, value);
    }

    /** Replaces the word, volatile; what it was. */
    public static int getAndSetIntVolatile(MemorySegment memory, long offset, int value) {
        return (int) INT.getAndSet(memory, offset, value);
    }

    /** Adds to the word, volatile; what it was. */
    public static int getAndAddIntVolatile(MemorySegment memory, long offset, int delta) {
        return (int) INT.getAndAdd(memory, offset, delta);
    }

    /** Reads a word without order; for words that nobody else writes at this time. */
    public static long getLongPlain(MemorySegment memory, long offset) {
        return (long) LONG.get(memory, offset);
    }

    /** Reads a word whole and in a bounded time, without order. */
    public static long getLongOpaque(MemorySegment memory, long offset) {
        return (long) LONG.getOpaque(memory, offset);
    }

    /** Reads a word; later accesses stay behind it. */
    public static long getLongAcquire(MemorySegment memory, long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    /** Reads a word in the one order that all volatile accesses share. */
    public static long getLongVolatile(MemorySegment memory, long offset) {
        return (long) LONG.getVolatile(memory, offset);
    }

    /** Writes a word without order. */
    public static void setLongPlain(MemorySegment memory, long offset, long value) {
        LONG.set(memory, offset, value);
    }

    /** Writes a word whole, visible in a bounded time, without order. */
    public static void setLongOpaque(MemorySegment memory, long offset, long value) {
        LONG.setOpaque(memory, offset, value);
    }

    /** Writes a word; earlier accesses stay before it. */
    public static void setLongRelease(MemorySegment memory, long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /** Writes a word in the one order that all volatile accesses share. */
    public static void setLongVolatile(MemorySegment memory, long offset, long value) {
        LONG.setVolatile(memory, offset, value);
    }

    /** Replaces {@code expected} by {@code value}, volatile; whether it did. A failure is no fence on aarch64. */
    public static boolean casLongVolatile(MemorySegment memory, long offset, long expected, long value) {
        return LONG.compareAndSet(memory, offset, expected, value);
    }

    /** Replaces the word, volatile; what it was. */
    public static long getAndSetLongVolatile(MemorySegment memory, long offset, long value) {
        return (long) LONG.getAndSet(memory, offset, value);
    }

    /** Adds to the word, volatile; what it was. */
    public static long getAndAddLongVolatile(MemorySegment memory, long offset, long delta) {
        return (long) LONG.getAndAdd(memory, offset, delta);
    }

    /** Toggles bits of the word, volatile; what it was. */
    public static long getAndXorLongVolatile(MemorySegment memory, long offset, long bits) {
        return (long) LONG.getAndBitwiseXor(memory, offset, bits);
    }
}

package dev.knitting.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Ordered access to the words of a {@linkplain SharedSegment#window window}: header, lanes and tables. The order is in
 * each method's name.
 *
 * <p>A buffer rather than a {@code MemorySegment}, because a worker that has just started has no time for the latter: the
 * first handle on a segment costs it tens of milliseconds, the first one on a buffer hardly any. Both compile to the same
 * instructions. Offsets are bytes, multiples of the word's size, below 2 GiB (a window is no longer); a misplaced access throws {@link
 * IndexOutOfBoundsException} or {@link IllegalStateException}.
 */
public final class BufferWords {
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private BufferWords() {}

    /** Reads without order. */
    public static int getIntPlain(ByteBuffer window, long offset) {
        return window.getInt((int) offset);
    }

    /** Writes without order. */
    public static void setIntPlain(ByteBuffer window, long offset, int value) {
        window.putInt((int) offset, value);
    }

    /** Reads atomically, without order. */
    public static int getIntOpaque(ByteBuffer window, long offset) {
        return (int) INT.getOpaque(window, (int) offset);
    }

    /** Reads before whatever follows. */
    public static int getIntAcquire(ByteBuffer window, long offset) {
        return (int) INT.getAcquire(window, (int) offset);
    }

    /** Writes after whatever came before. */
    public static void setIntRelease(ByteBuffer window, long offset, int value) {
        INT.setRelease(window, (int) offset, value);
    }

    /** Adds with a full fence; what it was. */
    public static int getAndAddIntVolatile(ByteBuffer window, long offset, int delta) {
        return (int) INT.getAndAdd(window, (int) offset, delta);
    }

    /** Sets bits with a full fence; what it was. */
    public static int getAndOrIntVolatile(ByteBuffer window, long offset, int bits) {
        return (int) INT.getAndBitwiseOr(window, (int) offset, bits);
    }

    /** Clears the bits that the mask lacks, with a full fence; what it was. */
    public static int getAndAndIntVolatile(ByteBuffer window, long offset, int mask) {
        return (int) INT.getAndBitwiseAnd(window, (int) offset, mask);
    }

    /** Reads without order. */
    public static long getLongPlain(ByteBuffer window, long offset) {
        return window.getLong((int) offset);
    }

    /** Writes without order. */
    public static void setLongPlain(ByteBuffer window, long offset, long value) {
        window.putLong((int) offset, value);
    }

    /** Reads atomically, without order. */
    public static long getLongOpaque(ByteBuffer window, long offset) {
        return (long) LONG.getOpaque(window, (int) offset);
    }

    /** Writes atomically, without order. */
    public static void setLongOpaque(ByteBuffer window, long offset, long value) {
        LONG.setOpaque(window, (int) offset, value);
    }

    /** Reads before whatever follows. */
    public static long getLongAcquire(ByteBuffer window, long offset) {
        return (long) LONG.getAcquire(window, (int) offset);
    }

    /** Writes after whatever came before. */
    public static void setLongRelease(ByteBuffer window, long offset, long value) {
        LONG.setRelease(window, (int) offset, value);
    }

    /** Replaces the expected value with a full fence; whether it was there. */
    public static boolean compareAndSetLongVolatile(ByteBuffer window, long offset, long expected, long value) {
        return LONG.compareAndSet(window, (int) offset, expected, value);
    }
}

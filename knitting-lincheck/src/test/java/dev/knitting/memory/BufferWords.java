package dev.knitting.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The library's class of this name on the heap, before it on the class path: Lincheck has no notion of handles that view
 * a buffer ("Unsupported VarHandle type"), and follows each access to this array. One memory at a time; the buffers say
 * only how long it is. What mailbox and claims need.
 */
public final class BufferWords {
    private static AtomicLongArray words = new AtomicLongArray(0);

    private BufferWords() {}

    /** Starts with fresh memory. */
    public static void reset(int bytes) {
        words = new AtomicLongArray(bytes / Long.BYTES);
    }

    private static int at(long offset) {
        return (int) offset >>> 3;
    }

    public static long getLongPlain(ByteBuffer window, long offset) {
        return words.getPlain(at(offset));
    }

    public static void setLongPlain(ByteBuffer window, long offset, long value) {
        words.setPlain(at(offset), value);
    }

    public static long getLongAcquire(ByteBuffer window, long offset) {
        return words.getAcquire(at(offset));
    }

    public static void setLongRelease(ByteBuffer window, long offset, long value) {
        words.setRelease(at(offset), value);
    }

    public static boolean compareAndSetLongVolatile(ByteBuffer window, long offset, long expected, long value) {
        return words.compareAndSet(at(offset), expected, value);
    }
}

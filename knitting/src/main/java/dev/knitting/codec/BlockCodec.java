package dev.knitting.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Values that are nothing but a run of bytes: arrays of primitives, {@link ByteBuffer}, {@link MemorySegment}. At the top
 * of a payload the caller's own memory is the body, so that it is copied once, by the mailbox.
 */
final class BlockCodec {
    private BlockCodec() {}

    /** Makes the value the payload's body, or returns false if it is none of these. */
    static boolean encode(Object value, Payload into, long limit) {
        byte tag = tagOf(value);
        if (tag == 0) {
            return false;
        }
        MemorySegment segment = segmentOf(value);
        long length = segment.byteSize();
        if (length > limit) {
            throw Refusal.tooLarge(length, limit);
        }
        into.setBody(tag, segment, length);
        into.word0 = orderOf(value);
        return true;
    }

    /** Writes the value with its tag, or returns false if it is none of these. */
    static boolean write(Object value, ByteWriter out) {
        byte tag = tagOf(value);
        if (tag == 0) {
            return false;
        }
        MemorySegment segment = segmentOf(value);
        out.putByte(tag);
        if (tag == PayloadTag.BYTE_BUFFER) {
            out.putByte(orderOf(value));
        }
        if (segment.byteSize() > out.room()) {
            throw Refusal.tooLarge(out.position() + segment.byteSize(), out.position() + out.room());
        }
        out.putInt((int) segment.byteSize());
        out.putSegment(segment);
        return true;
    }

    /** What {@link #encode} made a body of. */
    static Object decode(byte tag, @Nullable MemorySegment body, long offset, int length, long order) {
        return valueOf(tag, body == null ? MemorySegment.NULL : body, offset, length, order);
    }

    /** What {@link #write} wrote, after its tag. */
    static Object read(byte tag, ByteReader in) {
        long order = tag == PayloadTag.BYTE_BUFFER ? in.getByte() : 0;
        int length = in.getInt();
        return valueOf(tag, in.getSegment(length), 0, length, order);
    }

    /** Whether the tag is one of this class. */
    static boolean isBlock(byte tag) {
        return tag >= PayloadTag.BYTES && tag <= PayloadTag.SEGMENT;
    }

    private static byte tagOf(Object value) {
        Class<?> type = value.getClass();
        if (type.isArray()) {
            return tagOfArray(type);
        }
        if (value instanceof ByteBuffer) {
            return PayloadTag.BYTE_BUFFER;
        }
        return value instanceof MemorySegment ? PayloadTag.SEGMENT : 0;
    }

    private static byte tagOfArray(Class<?> type) {
        if (type == byte[].class) {
            return PayloadTag.BYTES;
        }
        if (type == int[].class) {
            return PayloadTag.INTS;
        }
        if (type == long[].class) {
            return PayloadTag.LONGS;
        }
        if (type == double[].class) {
            return PayloadTag.DOUBLES;
        }
        if (type == float[].class) {
            return PayloadTag.FLOATS;
        }
        if (type == char[].class) {
            return PayloadTag.CHARS;
        }
        if (type == short[].class) {
            return PayloadTag.SHORTS;
        }
        return type == boolean[].class ? PayloadTag.BOOLEANS : 0;
    }

    private static MemorySegment segmentOf(Object value) {
        if (value instanceof byte[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof int[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof long[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof double[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof float[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof char[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof short[] array) {
            return MemorySegment.ofArray(array);
        }
        if (value instanceof boolean[] array) {
            return MemorySegment.ofArray(bytesOf(array));
        }
        return value instanceof ByteBuffer buffer ? MemorySegment.ofBuffer(buffer) : readable((MemorySegment) value);
    }

    private static byte[] bytesOf(boolean[] array) {
        byte[] bytes = new byte[array.length];
        for (int i = 0; i < array.length; i++) {
            bytes[i] = array[i] ? (byte) 1 : 0;
        }
        return bytes;
    }

    private static MemorySegment readable(MemorySegment segment) {
        if (!segment.scope().isAlive() || !segment.isAccessibleBy(Thread.currentThread())) {
            throw Refusal.unsupported(
                    "memory segment cannot be read",
                    "alive",
                    segment.scope().isAlive(),
                    "thread",
                    Thread.currentThread().getName());
        }
        return segment;
    }

    private static byte orderOf(Object value) {
        return value instanceof ByteBuffer buffer && buffer.order() == ByteOrder.LITTLE_ENDIAN ? (byte) 1 : 0;
    }

    private static Object valueOf(byte tag, MemorySegment from, long offset, int length, long order) {
        return switch (tag) {
            case PayloadTag.BYTES -> bytes(from, offset, length);
            case PayloadTag.BOOLEANS -> booleans(bytes(from, offset, length));
            case PayloadTag.SHORTS -> {
                short[] array = new short[elements(length, Short.BYTES)];
                MemorySegment.copy(from, ValueLayout.JAVA_SHORT_UNALIGNED, offset, array, 0, array.length);
                yield array;
            }
            case PayloadTag.CHARS -> chars(from, offset, length);
            case PayloadTag.INTS -> {
                int[] array = new int[elements(length, Integer.BYTES)];
                MemorySegment.copy(from, ValueLayout.JAVA_INT_UNALIGNED, offset, array, 0, array.length);
                yield array;
            }
            case PayloadTag.LONGS -> {
                long[] array = new long[elements(length, Long.BYTES)];
                MemorySegment.copy(from, ValueLayout.JAVA_LONG_UNALIGNED, offset, array, 0, array.length);
                yield array;
            }
            case PayloadTag.FLOATS -> {
                float[] array = new float[elements(length, Float.BYTES)];
                MemorySegment.copy(from, ValueLayout.JAVA_FLOAT_UNALIGNED, offset, array, 0, array.length);
                yield array;
            }
            case PayloadTag.DOUBLES -> {
                double[] array = new double[elements(length, Double.BYTES)];
                MemorySegment.copy(from, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, array, 0, array.length);
                yield array;
            }
            case PayloadTag.BYTE_BUFFER -> buffer(bytes(from, offset, length), order);
            case PayloadTag.SEGMENT -> MemorySegment.ofArray(bytes(from, offset, length));
            default -> throw Refusal.corrupt("no such block", "tag", tag);
        };
    }

    static char[] chars(MemorySegment from, long offset, int length) {
        char[] array = new char[elements(length, Character.BYTES)];
        MemorySegment.copy(from, ValueLayout.JAVA_CHAR_UNALIGNED, offset, array, 0, array.length);
        return array;
    }

    private static byte[] bytes(MemorySegment from, long offset, int length) {
        byte[] array = new byte[length];
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, array, 0, length);
        return array;
    }

    private static boolean[] booleans(byte[] bytes) {
        boolean[] array = new boolean[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            if ((bytes[i] & ~1) != 0) {
                throw Refusal.corrupt("not a boolean", "value", bytes[i], "index", i);
            }
            array[i] = bytes[i] != 0;
        }
        return array;
    }

    private static ByteBuffer buffer(byte[] bytes, long order) {
        if ((order & ~1L) != 0) {
            throw Refusal.corrupt("not a byte order", "value", order);
        }
        return ByteBuffer.wrap(bytes).order(order == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    }

    private static int elements(int length, int elementBytes) {
        if (length % elementBytes != 0) {
            throw Refusal.corrupt("not a whole number of elements", "length", length, "element", elementBytes);
        }
        return length / elementBytes;
    }
}

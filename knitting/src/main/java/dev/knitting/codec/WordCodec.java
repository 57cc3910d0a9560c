package dev.knitting.codec;

import org.jspecify.annotations.Nullable;

/**
 * Values that one header word holds: null, {@code Long}, {@code Integer}, {@code Double}, {@code Boolean}. They cross
 * without a {@link Payload}: filling and reading one costs more stores than the message itself has, and a mailbox is fed no
 * faster than stores leave the processor.
 */
public final class WordCodec {
    /** What {@link #tagOf} says of all other values; no payload has this tag. */
    public static final byte NOT_A_WORD = 0;

    private static final long WORD_TAGS = 1L << PayloadTag.NULL
            | 1L << PayloadTag.FALSE
            | 1L << PayloadTag.TRUE
            | 1L << PayloadTag.INT
            | 1L << PayloadTag.LONG
            | 1L << PayloadTag.DOUBLE;

    private WordCodec() {}

    /** The value's tag, or {@link #NOT_A_WORD}. */
    public static byte tagOf(@Nullable Object value) {
        if (value == null) {
            return PayloadTag.NULL;
        }
        if (value instanceof Long) {
            return PayloadTag.LONG;
        }
        if (value instanceof Integer) {
            return PayloadTag.INT;
        }
        if (value instanceof Double) {
            return PayloadTag.DOUBLE;
        }
        if (value instanceof Boolean flag) {
            return flag ? PayloadTag.TRUE : PayloadTag.FALSE;
        }
        return NOT_A_WORD;
    }

    /** The word of a value that {@link #tagOf} has a tag for. */
    public static long wordOf(@Nullable Object value) {
        if (value instanceof Long number) {
            return number;
        }
        if (value instanceof Integer number) {
            return number;
        }
        return value instanceof Double number ? Double.doubleToRawLongBits(number) : 0;
    }

    /** Whether a payload with this tag, which may be any byte, is one word. */
    public static boolean isWord(byte tag) {
        return (tag & -Long.SIZE) == 0 && (WORD_TAGS >>> tag & 1) != 0;
    }

    /**
     * The value.
     *
     * @param tag one for which {@link #isWord} holds
     */
    public static @Nullable Object decode(byte tag, long word) {
        return switch (tag) {
            case PayloadTag.LONG -> word;
            case PayloadTag.INT -> (int) word;
            case PayloadTag.DOUBLE -> Double.longBitsToDouble(word);
            case PayloadTag.FALSE -> Boolean.FALSE;
            case PayloadTag.TRUE -> Boolean.TRUE;
            default -> null;
        };
    }
}

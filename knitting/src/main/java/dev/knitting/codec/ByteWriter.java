package dev.knitting.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A growable scratch that structured values are written into, in native byte order (both sides run on one machine).
 * Belongs to one {@link Payload}. Uses a {@link ByteBuffer} for wide words: it needs no variable handle, whose first use
 * would cost a starting worker milliseconds.
 */
final class ByteWriter {
    /** Most bytes of scratch that are kept between calls. */
    static final int KEPT_BYTES = 64 << 10;
    /** Longest body that fits a Java array on every JVM. */
    static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private static final int INITIAL_BYTES = 512;

    /** The call's shared buffers. */
    @Nullable
    BufferAccess buffers;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    private @Nullable MemorySegment segment;
    private @Nullable ComponentSink components;
    private int position;
    // Where the array or the cap ends, whichever comes first.
    private int edge;
    private long limit;

    /**
     * Starts over.
     *
     * @param limit most bytes that may be written
     */
    void begin(long limit) {
        if (bytes.length > KEPT_BYTES) {
            replace(new byte[INITIAL_BYTES]);
        }
        this.limit = Math.min(limit, MAX_BYTES);
        position = 0;
        edge = (int) Math.min(bytes.length, this.limit);
    }

    /** Starts over for bytes that go into the header words; these are zero before. */
    void beginWords() {
        begin(Payload.HEADER_BYTES);
        for (int at = 0; at < Payload.HEADER_BYTES; at += Long.BYTES) {
            words.putLong(at, 0);
        }
    }

    /** A word that was written. */
    long wordAt(int at) {
        return words.getLong(at);
    }

    int position() {
        return position;
    }

    /** Bytes that may still be written before the cap. */
    long room() {
        return limit - position;
    }

    /** Where records are taken apart into. */
    ComponentSink components() {
        ComponentSink current = components;
        if (current == null) {
            current = new ComponentSink(this);
            components = current;
        }
        return current;
    }

    /** The scratch as a segment; valid until it grows. */
    MemorySegment segment() {
        MemorySegment current = segment;
        if (current == null) {
            current = MemorySegment.ofArray(bytes);
            segment = current;
        }
        return current;
    }

    void putByte(int value) {
        int at = reserve(1);
        bytes[at] = (byte) value;
    }

    void putShort(short value) {
        int at = reserve(Short.BYTES);
        words.putShort(at, value);
    }

    void putChar(char value) {
        int at = reserve(Character.BYTES);
        words.putChar(at, value);
    }

    void putInt(int value) {
        int at = reserve(Integer.BYTES);
        words.putInt(at, value);
    }

    /** Overwrites a word that was written before. */
    void patchInt(int at, int value) {
        words.putInt(at, value);
    }

    void putLong(long value) {
        int at = reserve(Long.BYTES);
        words.putLong(at, value);
    }

    void putFloat(float value) {
        putInt(Float.floatToRawIntBits(value));
    }

    void putDouble(double value) {
        putLong(Double.doubleToRawLongBits(value));
    }

    /** A number from 0 up in 7-bit groups, lowest first: one byte below 128. */
    void putLength(int value) {
        int rest = value;
        while (rest >= 0x80) {
            putByte(rest | 0x80);
            rest >>>= 7;
        }
        putByte(rest);
    }

    /** The low bytes of the characters; all of them must be up to 0xFF. */
    @SuppressWarnings("deprecation") // the only way that copies Latin-1 characters without a temporary array
    void putLatin1(String text) {
        int length = text.length();
        int at = reserve(length);
        text.getBytes(0, length, bytes, at);
    }

    void putUtf16(String text) {
        int length = text.length();
        if (length > MAX_BYTES / 2) {
            throw Refusal.tooLarge(2L * length, limit);
        }
        int at = reserve(length * Character.BYTES);
        for (int i = 0; i < length; i++) {
            words.putChar(at + i * Character.BYTES, text.charAt(i));
        }
    }

    void putBytes(byte[] source, int from, int length) {
        int at = reserve(length);
        System.arraycopy(source, from, bytes, at, length);
    }

    /** The bytes of a segment. */
    void putSegment(MemorySegment source) {
        long length = source.byteSize();
        if (length > room()) {
            throw Refusal.tooLarge(position + length, limit);
        }
        int at = reserve((int) length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, 0, bytes, at, (int) length);
    }

    private int reserve(int length) {
        int at = position;
        if (length > edge - at) {
            grow(length);
        }
        position = at + length;
        return at;
    }

    private void grow(int length) {
        long needed = (long) position + length;
        if (needed > limit) {
            throw Refusal.tooLarge(needed, limit);
        }
        long size = Math.min(MAX_BYTES, Math.max(needed, 2L * bytes.length));
        byte[] longer = new byte[(int) size];
        System.arraycopy(bytes, 0, longer, 0, position);
        replace(longer);
        edge = (int) Math.min(longer.length, limit);
    }

    private void replace(byte[] other) {
        bytes = other;
        words = ByteBuffer.wrap(other).order(ByteOrder.nativeOrder());
        segment = null;
    }

    /** Drops a scratch that is too large to keep. */
    void trim() {
        if (bytes.length > KEPT_BYTES) {
            begin(0);
        }
    }
}

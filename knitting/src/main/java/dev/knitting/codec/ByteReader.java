package dev.knitting.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link ByteWriter} wrote. The body is copied first, once: a peer that goes on writing into its arena changes
 * nothing any more. Every length is checked against what is left before anything is allocated by it.
 */
final class ByteReader {
    private static final int INITIAL_BYTES = 512;

    /** The call's shared buffers. */
    @Nullable
    BufferAccess buffers;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    private @Nullable ComponentSource components;
    private int position;
    private int end;

    /** Copies the body and starts at its first byte. */
    void begin(MemorySegment body, long offset, int length) {
        resize(length);
        MemorySegment.copy(body, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        position = 0;
        end = length;
    }

    /**
     * Copies the body of a payload and starts at its first byte.
     *
     * @throws Refusal if there is none, or it lies outside its memory
     */
    void begin(Payload from) {
        int length = from.checkedBodyLength();
        MemorySegment body = from.body;
        if (body == null) {
            throw Refusal.corrupt("body is missing", "tag", from.tag);
        }
        begin(body, from.bodyOffset, length);
    }

    /** Starts over with the four header words as bytes. */
    void begin(long word0, long word1, long word2, long word3) {
        words.putLong(0, word0);
        words.putLong(8, word1);
        words.putLong(16, word2);
        words.putLong(24, word3);
        position = 0;
        end = Payload.HEADER_BYTES;
    }

    private void resize(int length) {
        if (length > bytes.length) {
            bytes = new byte[Math.max(length, (int) Math.min(2L * bytes.length, ByteWriter.KEPT_BYTES))];
        } else if (bytes.length > ByteWriter.KEPT_BYTES && length <= ByteWriter.KEPT_BYTES) {
            bytes = new byte[Math.max(length, INITIAL_BYTES)];
        } else {
            return;
        }
        words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /** Drops a scratch that is too large to keep. */
    void trim() {
        if (bytes.length > ByteWriter.KEPT_BYTES) {
            resize(0);
        }
    }

    /** Where records are put together from. */
    ComponentSource components() {
        ComponentSource current = components;
        if (current == null) {
            current = new ComponentSource(this);
            components = current;
        }
        return current;
    }

    /** Bytes not yet read. */
    int remaining() {
        return end - position;
    }

    byte getByte() {
        return bytes[take(1)];
    }

    short getShort() {
        return words.getShort(take(Short.BYTES));
    }

    char getChar() {
        return words.getChar(take(Character.BYTES));
    }

    int getInt() {
        return words.getInt(take(Integer.BYTES));
    }

    long getLong() {
        return words.getLong(take(Long.BYTES));
    }

    float getFloat() {
        return Float.intBitsToFloat(getInt());
    }

    double getDouble() {
        return Double.longBitsToDouble(getLong());
    }

    /** Steps over the next byte if it is this one. */
    boolean skipIf(byte expected) {
        if (position == end || bytes[position] != expected) {
            return false;
        }
        position++;
        return true;
    }

    /** Only 0 and 1 are booleans. */
    boolean getBoolean() {
        byte value = getByte();
        if ((value & ~1) != 0) {
            throw Refusal.corrupt("not a boolean", "value", value);
        }
        return value != 0;
    }

    /** What {@link ByteWriter#putLength} wrote. */
    int getLength() {
        int first = getByte();
        if (first >= 0) {
            return first;
        }
        int value = first & 0x7f;
        for (int shift = 7; shift < Integer.SIZE; shift += 7) {
            int next = getByte();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                if (value < 0 || (shift == 28 && next > 7)) {
                    break;
                }
                return value;
            }
        }
        throw Refusal.corrupt("not a length", "position", position);
    }

    /**
     * A number of elements of which each takes at least {@code leastBytes}.
     *
     * @return the count, such that that many bytes are left
     */
    int checkCount(int count, int leastBytes) {
        if (count < 0 || (long) count * leastBytes > remaining()) {
            throw Refusal.corrupt("more elements than bytes", "count", count, "bytes", remaining());
        }
        return count;
    }

    String getLatin1(int length) {
        int at = take(length);
        return new String(bytes, at, length, StandardCharsets.ISO_8859_1);
    }

    String getUtf16(int length) {
        checkCount(length, Character.BYTES);
        int at = take(length * Character.BYTES);
        char[] characters = new char[length];
        for (int i = 0; i < length; i++) {
            characters[i] = words.getChar(at + i * Character.BYTES);
        }
        return new String(characters);
    }

    void getBytes(byte[] target) {
        int at = take(target.length);
        System.arraycopy(bytes, at, target, 0, target.length);
    }

    /** The next bytes as a segment, without a copy: only for copying out of it at once. */
    MemorySegment getSegment(int length) {
        int at = take(length);
        return MemorySegment.ofArray(bytes).asSlice(at, length);
    }

    /** The next bytes as a stream of their own, which ends after them. */
    java.io.DataInputStream getStream(int length) {
        int at = take(length);
        return new java.io.DataInputStream(new java.io.ByteArrayInputStream(bytes, at, length));
    }

    /** Checks that nothing is left. */
    void checkEnd() {
        if (position != end) {
            throw Refusal.corrupt("bytes after the value", "count", remaining());
        }
    }

    private int take(int length) {
        int at = position;
        if (length < 0 || length > end - at) {
            throw Refusal.corrupt("value ends too early", "wanted", length, "bytes", end - at);
        }
        position = at + length;
        return at;
    }
}

package dev.knitting.codec;

import dev.knitting.SharedBuffer;
import org.jspecify.annotations.Nullable;

/** Shared buffers as three words: number, offset in the segment, length. What they mean is the {@link BufferAccess}'s. */
final class BufferCodec {
    private static final int WORDS_BYTES = 3 * Long.BYTES;

    private BufferCodec() {}

    /** A buffer that is the whole payload. */
    static void encode(SharedBuffer value, Payload into) {
        CrossingBuffer buffer = leaving(value, into.buffers);
        into.setWords(PayloadTag.SHARED_BUFFER, buffer.whole().id(), buffer.start());
        into.word2 = buffer.size();
        into.headerLength = WORDS_BYTES;
    }

    static SharedBuffer decode(Payload from) {
        return arriving(from.buffers, from.word0, from.word1, from.word2);
    }

    /** A buffer inside a structure. */
    static void write(SharedBuffer value, ByteWriter out) {
        CrossingBuffer buffer = leaving(value, out.buffers);
        out.putByte(PayloadTag.SHARED_BUFFER);
        out.putLong(buffer.whole().id());
        out.putLong(buffer.start());
        out.putLong(buffer.size());
    }

    static SharedBuffer read(ByteReader in) {
        long id = in.getLong();
        long start = in.getLong();
        return arriving(in.buffers, id, start, in.getLong());
    }

    private static CrossingBuffer leaving(SharedBuffer value, @Nullable BufferAccess access) {
        if (!(value instanceof CrossingBuffer buffer)) {
            throw Refusal.unsupported(
                    "not a buffer of a pool", "type", value.getClass().getName());
        }
        if (!buffer.isOpen()) {
            throw Refusal.unsupported("the buffer is closed", "buffer", buffer);
        }
        if (access == null || !access.mayLeave(buffer.whole())) {
            throw Refusal.unsupported(
                    "the buffer is not in memory that the other side has",
                    "buffer",
                    buffer,
                    "remedy",
                    "Pool.allocate of the same pool, or TaskContext.allocate in the same call; no segmentPerWorker");
        }
        return buffer;
    }

    private static SharedBuffer arriving(@Nullable BufferAccess access, long id, long start, long size) {
        SharedBuffer buffer = access == null ? null : access.arriving(id, start, size);
        if (buffer == null) {
            throw Refusal.corrupt("the call has no such buffer", "id", id, "start", start, "size", size);
        }
        return buffer;
    }
}

package dev.knitting.codec;

import dev.knitting.SharedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One call's shared buffers as one side sees them: which may leave with its payload, and what stands for one that arrives.
 * The codec asks while it encodes or decodes.
 */
public interface BufferAccess {
    /**
     * Whether a buffer may leave with this call's payload. If so, it is held for the call.
     *
     * @param whole what the buffer is, or is a part of
     */
    boolean mayLeave(BufferHandle whole);

    /**
     * A buffer that the other side names.
     *
     * @param id its number, unchecked
     * @param start offset in the segment, unchecked
     * @param size length in bytes, unchecked
     * @return null if this call has no such buffer, or the range does not lie in it
     */
    @Nullable
    SharedBuffer arriving(long id, long start, long size);
}

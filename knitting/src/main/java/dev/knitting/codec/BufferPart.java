package dev.knitting.codec;

import dev.knitting.SharedBuffer;
import java.lang.foreign.MemorySegment;

/** A part of a buffer: its views are the whole's. */
final class BufferPart extends CrossingBuffer {
    private final BufferHandle whole;

    BufferPart(BufferHandle whole, long start, long size) {
        super(start, size);
        this.whole = whole;
    }

    @Override
    public BufferHandle whole() {
        return whole;
    }

    @Override
    public MemorySegment segment() {
        return whole.segment().asSlice(start() - whole.start(), size());
    }

    @Override
    public SharedBuffer move() {
        throw new UnsupportedOperationException("a part cannot be given away: move the whole: " + this);
    }

    @Override
    public void close() {
        // the whole is what is closed
    }
}

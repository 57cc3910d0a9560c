package dev.knitting.codec;

import java.lang.foreign.MemorySegment;

/** A buffer, or a range of one, with a lifetime of its own. */
public abstract class BufferHandle extends CrossingBuffer {
    private final long id;
    private final BufferViews views;

    /**
     * A handle.
     *
     * @param id number of the buffer in its pool
     * @param start offset in the segment
     * @param size length in bytes
     * @param views of that range
     */
    protected BufferHandle(long id, long start, long size, BufferViews views) {
        super(start, size);
        this.id = id;
        this.views = views;
    }

    /** Number of the buffer in its pool. */
    public final long id() {
        return id;
    }

    /** Its views. */
    public final BufferViews views() {
        return views;
    }

    @Override
    public final BufferHandle whole() {
        return this;
    }

    @Override
    public final MemorySegment segment() {
        return views.segment();
    }
}

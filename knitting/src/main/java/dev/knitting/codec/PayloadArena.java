package dev.knitting.codec;

import dev.knitting.KnittingException;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One direction's payload memory of a lane, as its allocating side sees it: spans from a heap-side allocator, pages
 * reserved before first use. A span is 64 bytes of prefix, then the body.
 *
 * <pre>
 *   byte 0        8        16       24       32       40                64
 *        +--------+--------+--------+--------+--------+-----------------+-----...
 *        | in use | word0  | word1  | word2  | word3  | reserved, zero  | body
 *        +--------+--------+--------+--------+--------+-----------------+-----...
 * </pre>
 *
 * The peer never touches the allocator: it may clear {@code in use} (edge [released]), and nothing else. Any number of
 * threads.
 */
public final class PayloadArena {
    /** Bytes before the body of a span. */
    public static final long PREFIX_BYTES = 64;

    static final long IN_USE_OFFSET = 0;
    static final long WORDS_OFFSET = 8;

    private static final long SMALLEST_STEP = 64L << 10;
    private static final long LARGEST_STEP = 8L << 20;

    private final SharedSegment segment;
    private final MemorySegment memory;
    private final long base;
    private final long capacity;
    private final ArenaAllocator allocator;
    private final Object growth = new Object();
    private volatile long reserved;

    /** The arena at this offset of the segment; a fresh allocator: all of it is free. */
    public PayloadArena(SharedSegment segment, long base, long capacity) {
        this.segment = segment;
        this.memory = segment.memory();
        this.base = base;
        this.capacity = capacity;
        this.allocator = new ArenaAllocator(capacity);
    }

    /**
     * Takes a span for a body of this length.
     *
     * @return offset of the span in the segment, or -1 if the arena has no room now
     * @throws dev.knitting.KnittingException OUT_OF_SHARED_MEMORY if the system has no pages left
     */
    public long allocate(long bodyBytes) {
        long offset = allocator.allocate(PREFIX_BYTES + bodyBytes);
        if (offset < 0) {
            return -1;
        }
        long end = offset + PREFIX_BYTES + bodyBytes;
        if (end > reserved) {
            reserveUpTo(offset, end);
        }
        return base + offset;
    }

    private void reserveUpTo(long offset, long end) {
        try {
            synchronized (growth) {
                long from = reserved;
                if (end > from) {
                    long step = Math.clamp(from, SMALLEST_STEP, LARGEST_STEP);
                    long to = Math.min(capacity, Math.max(end, from + step) + 4095 & -4096L);
                    reserved = reserve(from, Math.min(capacity, end + 4095 & -4096L), to);
                }
            }
        } catch (RuntimeException | Error e) {
            allocator.free(offset);
            throw e;
        }
    }

    /** Reserves as much as is wise, or at least as much as is needed; up to where it did. */
    private long reserve(long from, long least, long wanted) {
        try {
            segment.reserve(base + from, wanted - from);
            return wanted;
        } catch (KnittingException e) {
            if (least >= wanted) {
                throw e;
            }
            segment.reserve(base + from, least - from);
            return least;
        }
    }

    /** Gives a span back. */
    public void free(long spanOffset) {
        allocator.free(spanOffset - base);
    }

    /** Bytes in use. */
    public long usedBytes() {
        return allocator.usedBytes();
    }

    /** Spans in use. */
    public int liveCount() {
        return allocator.liveCount();
    }

    /** Fills a span with a payload. Plain: ordered by the publication of its slot. */
    public void write(long spanOffset, Payload payload) {
        memory.set(ValueLayout.JAVA_LONG, spanOffset + IN_USE_OFFSET, 1);
        memory.set(ValueLayout.JAVA_LONG, spanOffset + WORDS_OFFSET, payload.word0);
        memory.set(ValueLayout.JAVA_LONG, spanOffset + WORDS_OFFSET + 8, payload.word1);
        memory.set(ValueLayout.JAVA_LONG, spanOffset + WORDS_OFFSET + 16, payload.word2);
        memory.set(ValueLayout.JAVA_LONG, spanOffset + WORDS_OFFSET + 24, payload.word3);
        MemorySegment body = payload.body;
        if (body != null) {
            MemorySegment.copy(body, payload.bodyOffset, memory, spanOffset + PREFIX_BYTES, payload.bodyLength);
        }
    }
}

package dev.knitting.codec;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Hands out spans of an arena: first fit by lowest address, so that few pages are ever touched. Its books are on the
 * heap of the side that owns the arena; a peer that maps the arena cannot corrupt them.
 *
 * <p>Spans start and end at multiples of {@value #ALIGNMENT_BYTES} bytes, so that two of them share no cache line. Any
 * number of threads may call; the lock is held for a few array operations, never during a copy.
 *
 * <p>Invariants: the live spans are disjoint; the free spans are disjoint, sorted and never touch each other; live and
 * free spans together cover exactly {@code [0, capacity)}.
 */
public final class ArenaAllocator {
    /** Every span starts at a multiple of this, in bytes. */
    public static final int ALIGNMENT_BYTES = 64;

    /** What {@link #allocate} returns when no span is long enough. */
    public static final long NONE = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final long capacity;
    private final SpanList free = new SpanList();
    private final SpanList live = new SpanList();
    private long usedBytes;

    // Written under the lock; volatile so that counters can be read without it.
    private volatile long highWater;

    /**
     * An empty arena.
     *
     * @param capacity its length in bytes; what is beyond the last multiple of {@value #ALIGNMENT_BYTES} stays unused
     * @throws IllegalArgumentException if it is negative
     */
    public ArenaAllocator(long capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("negative capacity: capacity=" + capacity);
        }
        this.capacity = capacity & -ALIGNMENT_BYTES;
        if (this.capacity > 0) {
            free.insert(0, 0, this.capacity);
        }
    }

    /**
     * Takes the lowest span that is long enough. Afterwards {@link #highWater} is at least the end of the span: a caller
     * that reserves pages before first use compares it with what it has reserved so far.
     *
     * @param bytes wanted length; rounded up to a multiple of {@value #ALIGNMENT_BYTES}, at least that
     * @return its offset in bytes from the start of the arena, or {@link #NONE}
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    public long allocate(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("negative length: bytes=" + bytes);
        }
        if (bytes > capacity) {
            return NONE; // also keeps the rounding below from overflowing
        }
        long length = Math.max(ALIGNMENT_BYTES, (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES);
        lock.lock();
        try {
            int index = free.firstOfLength(length);
            if (index < 0) {
                return NONE;
            }
            long offset = free.offset(index);
            free.cutFront(index, length);
            live.insert(live.insertionPoint(offset), offset, length);
            usedBytes += length;
            if (offset + length > highWater) {
                highWater = offset + length;
            }
            return offset;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a span back.
     *
     * @param offset what {@link #allocate} returned
     * @throws IllegalStateException if no live span starts there: freed twice, or never allocated
     */
    public void free(long offset) {
        lock.lock();
        try {
            int index = live.find(offset);
            if (index < 0) {
                throw new IllegalStateException(
                        "no live span starts here, freed twice?: offset=" + offset + ", capacity=" + capacity);
            }
            long length = live.length(index);
            live.remove(index);
            usedBytes -= length;
            free.insertJoined(offset, length);
        } finally {
            lock.unlock();
        }
    }

    /** Usable length of the arena in bytes. */
    public long capacity() {
        return capacity;
    }

    /** End of the highest span that was ever allocated, in bytes; never falls. */
    public long highWater() {
        return highWater;
    }

    /** Number of live spans. */
    public int liveCount() {
        lock.lock();
        try {
            return live.size();
        } finally {
            lock.unlock();
        }
    }

    /** Sum of the lengths of the live spans, rounded up as they are, in bytes. */
    public long usedBytes() {
        lock.lock();
        try {
            return usedBytes;
        } finally {
            lock.unlock();
        }
    }
}

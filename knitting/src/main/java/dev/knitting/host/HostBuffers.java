package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.codec.ArenaAllocator;
import dev.knitting.memory.SharedSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The shared buffers in one segment: the area behind its lanes. All books are here, on the host's heap: a worker neither
 * takes memory nor gives it back, it only names buffers, and what it names is looked up among those of its call.
 *
 * <p>Pages are committed when a buffer is made and given back when it is freed; in between nobody else has them, and new
 * ones are zero. Any thread. Locks: a buffer's monitor, inside it that of a handle; the allocator's is a leaf.
 */
final class HostBuffers {
    /** A buffer takes whole pages, so that they can be given back. */
    private static final long PAGE_BYTES = 4096;

    private static final long CLOSE_PAUSE_NANOS = 1_000_000;
    private static final int CLOSE_ATTEMPTS = 1_000;

    private final SharedSegment segment;
    private final long base;
    private final ArenaAllocator allocator;
    private final ConcurrentHashMap<Long, HostBuffer> live = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    /** Handles that could not be closed when their call had settled, for a thread of the host is in an I/O call. */
    private final ConcurrentHashMap<HostHandle, Boolean> stuck = new ConcurrentHashMap<>();

    /** Held for reading while pages are committed or given back, so that none are once the segment is gone. */
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

    private volatile boolean closed;

    /**
     * The buffers of an area.
     *
     * @param base where it starts in the segment, a multiple of a page
     * @param bytes its length
     */
    HostBuffers(SharedSegment segment, long base, long bytes) {
        this.segment = segment;
        this.base = base;
        this.allocator = new ArenaAllocator(bytes & -PAGE_BYTES);
    }

    /**
     * A new buffer of zeros, with nobody who holds it yet.
     *
     * @throws KnittingException ARENA_FULL, OUT_OF_SHARED_MEMORY, POOL_CLOSED
     * @throws IllegalArgumentException if the length is not positive
     */
    HostBuffer make(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("length of a buffer out of range: bytes=" + bytes + ", minimum=1");
        }
        retryStuck();
        long offset = bytes > Long.MAX_VALUE - PAGE_BYTES ? ArenaAllocator.NONE : allocator.allocate(pages(bytes));
        if (offset == ArenaAllocator.NONE) {
            throw KnittingException.of(
                    ErrorCode.ARENA_FULL,
                    "no room for a shared buffer",
                    "length",
                    bytes,
                    "inUse",
                    usedBytes(),
                    "option",
                    "payload.buffersBytes");
        }
        life.readLock().lock();
        HostBuffer made = null;
        try {
            if (closed) {
                throw KnittingException.of(ErrorCode.POOL_CLOSED, "the pool is closed", "what", "allocate");
            }
            segment.commit(base + offset, pages(bytes));
            made = new HostBuffer(this, segment, ids.incrementAndGet(), base + offset, bytes);
            live.put(made.id(), made);
        } finally {
            if (made == null) {
                allocator.free(offset);
            }
            life.readLock().unlock();
        }
        return made;
    }

    private static long pages(long bytes) {
        return bytes + PAGE_BYTES - 1 & -PAGE_BYTES;
    }

    /** Nobody holds the buffer any more, and no view of it is left. */
    void free(HostBuffer buffer) {
        if (!live.remove(buffer.id(), buffer)) {
            return;
        }
        life.readLock().lock();
        try {
            if (!closed) {
                segment.discard(buffer.start(), pages(buffer.size()));
            }
        } finally {
            life.readLock().unlock();
        }
        allocator.free(buffer.start() - base);
    }

    /** A handle whose views are in use: its buffer stays until they are not. */
    void quarantine(HostHandle handle) {
        stuck.put(handle, Boolean.TRUE);
    }

    private void retryStuck() {
        for (HostHandle handle : stuck.keySet()) {
            if (handle.buffer().tryClose(handle)) {
                stuck.remove(handle);
            }
        }
    }

    /** Buffers that are not freed, whoever holds them. */
    int liveCount() {
        return live.size();
    }

    /** Bytes of pages that they take. */
    long usedBytes() {
        return allocator.usedBytes();
    }

    /** Buffers that are kept only because a thread of the host is in an I/O call with a view of them. */
    int quarantined() {
        return stuck.size();
    }

    /**
     * Closes every view, whoever has it; no buffer can be made any more.
     *
     * @return whether it could: if not, a thread uses one in an I/O call, and the segment must stay mapped
     */
    boolean close() {
        life.writeLock().lock();
        try {
            closed = true;
        } finally {
            life.writeLock().unlock();
        }
        for (int attempt = 0; attempt < CLOSE_ATTEMPTS; attempt++) {
            List<HostBuffer> left = new ArrayList<>(live.values());
            left.removeIf(HostBuffer::closeAll);
            if (left.isEmpty()) {
                stuck.clear();
                return true;
            }
            LockSupport.parkNanos(CLOSE_PAUSE_NANOS);
        }
        return false;
    }
}

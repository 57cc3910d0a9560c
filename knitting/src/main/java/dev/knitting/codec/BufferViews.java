package dev.knitting.codec;

import dev.knitting.memory.SharedSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The views of one buffer: parts of a mapping that live shorter than it. Each has an arena, made when somebody asks for
 * it, so that a buffer that only passes through costs none.
 *
 * <p>To close an arena that all threads may use costs a handshake with each of them. So the thread that runs tasks in a
 * worker process has a view for itself, which is closed for next to nothing.
 *
 * <p>This object can be reached as long as one of its views can: whoever watches over it by a weak reference knows when
 * nobody is left.
 */
public final class BufferViews {
    private final SharedSegment source;
    private final long start;
    private final long size;
    /** The thread whose view is confined to it, or null. */
    private final @Nullable Thread owner;

    // The owner's.
    private @Nullable Arena ownArena;
    private @Nullable MemorySegment ownView;

    /** Written under the monitor. */
    private volatile boolean closed;

    private volatile @Nullable MemorySegment sharedView;
    /** Guarded by the monitor. */
    private @Nullable Arena sharedArena;

    /**
     * Views of a range, none made yet.
     *
     * @param start offset in the segment
     * @param size length in bytes
     * @param owner the thread that gets a view of its own, or null
     */
    public BufferViews(SharedSegment source, long start, long size, @Nullable Thread owner) {
        this.source = source;
        this.start = start;
        this.size = size;
        this.owner = SharedSegment.viewsAreCheap() ? owner : null;
    }

    /** The view for the calling thread. */
    MemorySegment segment() {
        if (owner == Thread.currentThread()) {
            MemorySegment own = ownView;
            return own != null && !closed ? own : openOwn();
        }
        MemorySegment shared = sharedView;
        return shared != null ? shared : openShared();
    }

    @SuppressWarnings("MustBeClosedChecker") // close does
    private synchronized MemorySegment openOwn() {
        requireOpen();
        Arena arena = Arena.ofConfined();
        MemorySegment view = source.view(start, size, arena, this);
        ownArena = arena;
        ownView = view;
        return view;
    }

    @SuppressWarnings("MustBeClosedChecker") // close does
    private synchronized MemorySegment openShared() {
        requireOpen();
        MemorySegment known = sharedView;
        if (known != null) {
            return known;
        }
        Arena arena = Arena.ofShared();
        MemorySegment view = source.view(start, size, arena, this);
        sharedArena = arena;
        sharedView = view;
        return view;
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the buffer is closed: size=" + size);
        }
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Closes the views: each access throws from now on. The owner's view is closed by the owner alone, who does so before
     * the memory is freed. May be repeated.
     *
     * @throws IllegalStateException if a thread uses one in an I/O call: nothing was closed then
     */
    public synchronized void close() {
        Arena shared = sharedArena;
        if (shared != null) {
            shared.close();
            sharedArena = null;
            sharedView = null;
        }
        Arena own = ownArena;
        if (own != null && owner == Thread.currentThread()) {
            own.close();
            ownArena = null;
            ownView = null;
        }
        closed = true;
    }
}

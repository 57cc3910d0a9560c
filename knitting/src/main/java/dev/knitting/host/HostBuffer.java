package dev.knitting.host;

import dev.knitting.codec.BufferViews;
import dev.knitting.memory.SharedSegment;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One buffer's memory and who holds it: each open handle in this JVM counts one, each call that has it counts one. Freed
 * when the last one lets go. A handle that nobody can reach any more, nor any of its views, lets go too.
 *
 * <p>INV-1: while it has an open handle or a call, its memory is nobody else's. INV-2: it is freed once, and no view is
 * open then.
 */
final class HostBuffer {
    private static final Cleaner CLEANER = Cleaner.create();

    /** A handle as the buffer knows it: not so that it would keep it from being collected. */
    private static final class Entry {
        final WeakReference<BufferViews> views;
        /** The same, where views do not keep it alive. */
        final @Nullable BufferViews strong;

        final WeakReference<HostHandle> handle;

        Entry(HostHandle handle) {
            this.views = new WeakReference<>(handle.views());
            this.strong = SharedSegment.viewsAreCheap() ? null : handle.views();
            this.handle = new WeakReference<>(handle);
        }

        /** Closes the views, if there are any. */
        void close() {
            BufferViews known = strong != null ? strong : views.get();
            if (known != null) {
                known.close();
            }
        }
    }

    private final HostBuffers area;
    private final SharedSegment segment;
    private final long id;
    private final long start;
    private final long size;

    // Guarded by this.
    private int holders;
    private boolean freed;
    private final List<Entry> entries = new ArrayList<>(2);
    /** The one that the host's own code has, if it has one. */
    private @Nullable Entry side;

    HostBuffer(HostBuffers area, SharedSegment segment, long id, long start, long size) {
        this.area = area;
        this.segment = segment;
        this.id = id;
        this.start = start;
        this.size = size;
    }

    long id() {
        return id;
    }

    /** Offset in the segment. */
    long start() {
        return start;
    }

    long size() {
        return size;
    }

    synchronized boolean isFreed() {
        return freed;
    }

    HostBuffers area() {
        return area;
    }

    /** Whether a range of the segment, which may be anything, lies in this buffer. */
    boolean contains(long from, long bytes) {
        return bytes >= 1 && bytes <= size && from >= start && from - start <= size - bytes;
    }

    /** One more call holds it; false if it was freed meanwhile. */
    synchronized boolean tryHold() {
        if (freed) {
            return false;
        }
        holders++;
        return true;
    }

    /** As {@link #tryHold()}, if this handle is open: what was closed is not handed over. */
    synchronized boolean tryHold(HostHandle by) {
        return by.isOpen() && tryHold();
    }

    /** A holder has no more to do with it. */
    void letGo() {
        synchronized (this) {
            holders--;
            if (holders > 0 || freed) {
                return;
            }
            freed = true;
        }
        area.free(this);
    }

    /** The host's own handle: the one that is open, or a new one of this range; null if the buffer was freed. */
    synchronized @Nullable HostHandle side(long from, long bytes) {
        Entry known = side;
        HostHandle handle = known == null ? null : known.handle.get();
        if (handle == null) {
            handle = lend(from, bytes);
            side = handle == null ? null : entries.getLast();
        }
        return handle;
    }

    /** A further handle; null if the buffer was freed. */
    synchronized @Nullable HostHandle lend(long from, long bytes) {
        return tryHold() ? add(from, bytes, false) : null;
    }

    private HostHandle add(long from, long bytes, boolean inTransit) {
        HostHandle handle = new HostHandle(this, from, bytes, new BufferViews(segment, from, bytes, null), inTransit);
        Entry entry = new Entry(handle);
        entries.add(entry);
        handle.watchedBy(CLEANER.register(handle.views(), () -> forgotten(entry)));
        return handle;
    }

    /** Neither the handle nor a view of it can be reached. */
    private void forgotten(Entry entry) {
        synchronized (this) {
            if (!remove(entry)) {
                return;
            }
        }
        letGo();
    }

    private @Nullable Entry entryOf(HostHandle handle) {
        for (Entry entry : entries) {
            if (entry.views.refersTo(handle.views())) {
                return entry;
            }
        }
        return null;
    }

    private boolean remove(Entry entry) {
        if (entry.equals(side)) {
            side = null;
        }
        return entries.remove(entry);
    }

    /** Closes a handle and makes another one for what it had. */
    synchronized HostHandle move(HostHandle from) {
        Entry entry = entryOf(from);
        if (entry == null) {
            throw new IllegalStateException("the buffer is closed: " + from);
        }
        boolean own = entry.equals(side);
        entry.close();
        remove(entry);
        HostHandle moved = add(from.start(), from.size(), true); // holds instead of the other one
        if (own) {
            side = entries.getLast();
        }
        return moved;
    }

    /**
     * Closes a handle.
     *
     * @throws IllegalStateException if a thread uses a view in an I/O call: it is open still
     */
    void close(HostHandle handle) {
        synchronized (this) {
            Entry entry = entryOf(handle);
            if (entry == null) {
                return;
            }
            entry.close();
            remove(entry);
        }
        letGo();
    }

    /** Closes a handle; false if a thread uses a view in an I/O call. */
    boolean tryClose(HostHandle handle) {
        try {
            close(handle);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Closes every handle and frees the buffer, whoever holds it; false if a thread uses a view in an I/O call. */
    boolean closeAll() {
        synchronized (this) {
            for (Entry entry : List.copyOf(entries)) {
                try {
                    entry.close();
                } catch (IllegalStateException e) {
                    return false;
                }
                remove(entry);
            }
            if (freed) {
                return true;
            }
            freed = true;
        }
        area.free(this);
        return true;
    }
}

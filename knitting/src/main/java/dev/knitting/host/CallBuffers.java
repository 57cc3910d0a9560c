package dev.knitting.host;

import dev.knitting.SharedBuffer;
import dev.knitting.codec.BufferAccess;
import dev.knitting.codec.BufferHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The shared buffers of one call: those of its argument, and those that its task allocated. It holds them until the call
 * has settled. What a worker names in a result counts only if it is among them: so no worker can have the host open,
 * or free, a buffer that it was not given.
 *
 * <p>As {@link BufferAccess} it is the host's side. Any thread; under its monitor, inside it those of buffers.
 */
final class CallBuffers implements BufferAccess {
    /** Where arguments may lie: nowhere if the workers have a segment each. */
    private final Supplier<? extends @Nullable HostBuffers> area;

    // Most calls have one buffer. Guarded by this.
    private @Nullable HostBuffer first;
    private @Nullable Map<Long, HostBuffer> others;
    /** What the task allocated: no other run of the call gets it. */
    private List<HostBuffer> granted = List.of();
    /** Handles that the call lets go of: moved ones, and those of a worker that is a thread. */
    private List<HostHandle> moved = List.of();

    private List<HostHandle> lent = List.of();
    private boolean over;

    CallBuffers(Supplier<? extends @Nullable HostBuffers> area) {
        this.area = area;
    }

    // ---- the host's side

    @Override
    public synchronized boolean mayLeave(BufferHandle whole) {
        if (!(whole instanceof HostHandle handle) || !hold(handle)) {
            return false;
        }
        if (handle.isInTransit() && !moved.contains(handle)) {
            moved = with(moved, handle);
        }
        return true;
    }

    private boolean hold(HostHandle handle) {
        HostBuffer buffer = handle.buffer();
        if (over || !buffer.area().equals(area.get())) {
            return false;
        }
        if (find(buffer.id()) != null) {
            return true;
        }
        if (!buffer.tryHold(handle)) {
            return false;
        }
        enter(buffer);
        return true;
    }

    private @Nullable HostBuffer find(long id) {
        HostBuffer one = first;
        if (one != null && one.id() == id) {
            return one;
        }
        return others == null ? null : others.get(id);
    }

    private void enter(HostBuffer buffer) {
        if (first == null) {
            first = buffer;
            return;
        }
        if (others == null) {
            others = new HashMap<>();
        }
        others.put(buffer.id(), buffer);
    }

    private void leave(HostBuffer buffer) {
        if (buffer.equals(first)) {
            first = null;
        } else if (others != null) {
            others.remove(buffer.id());
        }
        buffer.letGo();
    }

    private static <T> List<T> with(List<T> list, T added) {
        List<T> longer = list.isEmpty() ? new ArrayList<>(2) : list;
        longer.add(added);
        return longer;
    }

    @Override
    public synchronized @Nullable SharedBuffer arriving(long id, long start, long size) {
        HostBuffer buffer = find(id);
        if (over || buffer == null || !buffer.contains(start, size)) {
            return null;
        }
        HostHandle side = buffer.side(start, size);
        if (side == null) {
            return null; // the pool closes
        }
        if (side.isInTransit()) {
            side.arrived();
            if (!moved.isEmpty()) {
                moved.remove(side);
            }
        }
        return rangeOf(side, start, size);
    }

    /** The handle itself, or a part of it. */
    private static @Nullable SharedBuffer rangeOf(HostHandle whole, long start, long size) {
        if (start == whole.start() && size == whole.size()) {
            return whole;
        }
        long offset = start - whole.start();
        // The host may have a part only, from an earlier result: the rest is out of its reach.
        return offset < 0 || offset > whole.size() - size ? null : whole.slice(offset, size);
    }

    // ---- the task's side

    /** The side of a task that runs in this JVM, with values copied. */
    BufferAccess ofTask() {
        return new TaskSide();
    }

    /** A buffer that the task asks for; null if the call is over. */
    @Nullable
    HostBuffer grant(HostBuffers from, long bytes) {
        HostBuffer made = from.make(bytes);
        synchronized (this) {
            if (!over && made.tryHold()) {
                enter(made);
                granted = with(granted, made);
                return made;
            }
        }
        made.closeAll();
        return null;
    }

    /** As {@link #grant}, for a task that runs in this JVM. */
    @Nullable
    SharedBuffer grantHere(HostBuffers from, long bytes) {
        HostBuffer made = grant(from, bytes);
        if (made == null) {
            return null;
        }
        return lend(made, made.start(), made.size()); // null again if the call has ended meanwhile
    }

    private synchronized @Nullable SharedBuffer lend(HostBuffer buffer, long start, long size) {
        if (over) {
            return null;
        }
        HostHandle handle = buffer.lend(start, size);
        if (handle != null) {
            lent = with(lent, handle);
        }
        return handle;
    }

    private final class TaskSide implements BufferAccess {
        @Override
        public boolean mayLeave(BufferHandle whole) {
            synchronized (CallBuffers.this) {
                return whole instanceof HostHandle handle && hold(handle);
            }
        }

        @Override
        public @Nullable SharedBuffer arriving(long id, long start, long size) {
            synchronized (CallBuffers.this) {
                HostBuffer buffer = find(id);
                return buffer != null && buffer.contains(start, size) ? lend(buffer, start, size) : null;
            }
        }
    }

    // ---- the end

    /** The worker ended and the call runs again: what its task had allocated and opened is gone. */
    synchronized void runsAgain() {
        closeLent();
        granted.forEach(this::leave);
        granted = List.of();
    }

    /** The call has settled. May be repeated. */
    synchronized void letGo() {
        over = true;
        closeLent();
        for (HostHandle handle : moved) {
            closeOrKeep(handle);
        }
        moved = List.of();
        granted = List.of();
        if (first != null) {
            first.letGo();
            first = null;
        }
        if (others != null) {
            others.values().forEach(HostBuffer::letGo);
            others = null;
        }
    }

    /**
     * A call ends that was never encoded: frees the moved buffers that are its arguments. Those deeper inside are freed when
     * nobody can reach them.
     */
    static void letGoOfUnsent(@Nullable Object argument) {
        if (argument instanceof HostHandle handle && handle.isInTransit()) {
            closeOrKeep(handle);
        } else if (argument instanceof Object[] captured) {
            for (Object each : captured) {
                if (each instanceof HostHandle handle && handle.isInTransit()) {
                    closeOrKeep(handle);
                }
            }
        }
    }

    private void closeLent() {
        for (HostHandle handle : lent) {
            closeOrKeep(handle);
        }
        lent = List.of();
    }

    private static void closeOrKeep(HostHandle handle) {
        if (!handle.buffer().tryClose(handle)) {
            handle.buffer().area().quarantine(handle);
        }
    }
}

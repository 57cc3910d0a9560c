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

    private final Map<Long, HostBuffer> held = new HashMap<>(4);
    /** What the task allocated: no other run of the call gets it. */
    private final List<HostBuffer> granted = new ArrayList<>(0);
    /** Handles that the call lets go of: moved ones, and those of a worker that is a thread. */
    private final List<HostHandle> moved = new ArrayList<>(0);

    private final List<HostHandle> lent = new ArrayList<>(0);
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
            moved.add(handle);
        }
        return true;
    }

    private boolean hold(HostHandle handle) {
        HostBuffer buffer = handle.buffer();
        if (over || !buffer.area().equals(area.get())) {
            return false;
        }
        if (held.containsKey(buffer.id())) {
            return true;
        }
        if (!buffer.tryHold(handle)) {
            return false;
        }
        held.put(buffer.id(), buffer);
        return true;
    }

    @Override
    public synchronized @Nullable SharedBuffer arriving(long id, long start, long size) {
        HostBuffer buffer = held.get(id);
        if (over || buffer == null || !buffer.contains(start, size)) {
            return null;
        }
        HostHandle side = buffer.side(start, size);
        if (side == null) {
            return null; // the pool closes
        }
        if (side.isInTransit()) {
            side.arrived();
            moved.remove(side);
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
                held.put(made.id(), made);
                granted.add(made);
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
            lent.add(handle);
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
                HostBuffer buffer = held.get(id);
                return buffer != null && buffer.contains(start, size) ? lend(buffer, start, size) : null;
            }
        }
    }

    // ---- the end

    /** The worker ended and the call runs again: what its task had allocated and opened is gone. */
    synchronized void runsAgain() {
        closeLent();
        for (HostBuffer buffer : granted) {
            held.remove(buffer.id());
            buffer.letGo();
        }
        granted.clear();
    }

    /** The call has settled. May be repeated. */
    synchronized void letGo() {
        over = true;
        closeLent();
        for (HostHandle handle : moved) {
            closeOrKeep(handle);
        }
        moved.clear();
        for (HostBuffer buffer : held.values()) {
            buffer.letGo();
        }
        held.clear();
        granted.clear();
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
        lent.clear();
    }

    private static void closeOrKeep(HostHandle handle) {
        if (!handle.buffer().tryClose(handle)) {
            handle.buffer().area().quarantine(handle);
        }
    }
}

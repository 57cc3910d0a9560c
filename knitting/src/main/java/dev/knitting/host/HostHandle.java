package dev.knitting.host;

import dev.knitting.SharedBuffer;
import dev.knitting.codec.BufferHandle;
import dev.knitting.codec.BufferViews;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/** A buffer as code in the host's JVM has it: the host's own, or that of a worker which is a thread. */
final class HostHandle extends BufferHandle {
    private final HostBuffer buffer;
    /** On its way to a call, which lets go of it: see {@link SharedBuffer#move}. */
    private volatile boolean inTransit;

    private Cleaner.@Nullable Cleanable watch;

    HostHandle(HostBuffer buffer, long start, long size, BufferViews views, boolean inTransit) {
        super(buffer.id(), start, size, views);
        this.buffer = buffer;
        this.inTransit = inTransit;
    }

    /** What lets go of the buffer when the views are collected; by the thread that makes the handle. */
    void watchedBy(Cleaner.Cleanable cleanable) {
        watch = cleanable;
    }

    HostBuffer buffer() {
        return buffer;
    }

    boolean isInTransit() {
        return inTransit;
    }

    /** A result has brought it back: it is the host's again. */
    void arrived() {
        inTransit = false;
    }

    @Override
    public SharedBuffer move() {
        return buffer.move(this);
    }

    @Override
    public void close() {
        buffer.close(this);
        Cleaner.Cleanable watching = watch;
        if (watching != null) {
            watching.clean(); // finds nothing to do, and is not kept for the collector
        }
    }
}

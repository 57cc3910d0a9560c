package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.memory.SharedSegment;

/**
 * Shared buffers without workers: for tasks that are run as plain methods, and for pools that run them on the calling
 * thread. One sparse segment for the whole JVM, made when it is needed first and never closed.
 */
final class LocalBuffers {
    private static final long BYTES = 4L << 30;

    /** The area. */
    private static final class Holder {
        static final HostBuffers AREA =
                new HostBuffers(SharedSegment.create(SharedSegment.resolve(Memory.AUTOMATIC), BYTES, null), 0, BYTES);

        private Holder() {}
    }

    private LocalBuffers() {}

    static HostBuffers area() {
        return Holder.AREA;
    }

    /** A new buffer of the host's own. */
    static HostHandle allocate(long bytes) {
        HostBuffer made = area().make(bytes);
        HostHandle handle = made.side(made.start(), made.size());
        if (handle == null) {
            throw KnittingException.of(ErrorCode.POOL_CLOSED, "closed", "what", "allocate"); // never: nobody closes it
        }
        return handle;
    }
}

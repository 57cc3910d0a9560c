package dev.knitting.worker;

import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadArena;
import dev.knitting.codec.PayloadSpan;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The worker's side of the return arena: allocates spans for results and takes those back that the host has released.
 * The books are this worker's; the host only clears a word in a span. The loop's thread only.
 */
final class ReturnArena {
    private final SharedSegment segment;
    private final long offset;
    private final long bytes;
    /** Null until the first large result: a worker that starts maps as little as it can. */
    private @Nullable PayloadArena arena;
    /** Spans not known to be released, oldest first. */
    private long[] live = new long[64];

    private int count;

    ReturnArena(SharedSegment segment, long offset, long bytes) {
        this.segment = segment;
        this.offset = offset;
        this.bytes = bytes;
    }

    /** A span with the payload in it, or -1 if there is no room until the host releases some. */
    long tryWrite(Payload payload) {
        PayloadArena target = arena;
        if (target == null) {
            target = new PayloadArena(segment, offset, bytes);
            arena = target;
        }
        reclaim(target);
        long span = target.allocate(payload.bodyLength);
        if (span >= 0) {
            target.write(span, payload);
            if (count == live.length) {
                live = Arrays.copyOf(live, count * 2);
            }
            live[count++] = span;
        }
        return span;
    }

    /** Whether the host still holds spans, so that waiting for room makes sense. */
    boolean hasLive() {
        return count > 0;
    }

    private void reclaim(PayloadArena target) {
        MemorySegment memory = segment.memory();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            long span = live[i];
            if (PayloadSpan.isReleased(memory, span)) {
                target.free(span);
            } else {
                live[kept++] = span;
            }
        }
        count = kept;
    }
}

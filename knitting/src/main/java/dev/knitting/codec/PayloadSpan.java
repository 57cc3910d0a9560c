package dev.knitting.codec;

import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A span of the peer's arena, as the reading side sees it. The layout is {@link PayloadArena}'s. */
public final class PayloadSpan {
    private PayloadSpan() {}

    /**
     * Whether offset and body length, read from the peer, describe a span of this arena.
     *
     * @param arenaOffset where the arena starts in the segment
     * @param arenaBytes its length
     * @param maxBodyBytes the cap of one payload
     */
    public static boolean isValid(
            long spanOffset, long bodyBytes, long arenaOffset, long arenaBytes, long maxBodyBytes) {
        return spanOffset >= arenaOffset
                && (spanOffset & 63) == 0
                && bodyBytes > 0
                && bodyBytes <= maxBodyBytes
                && spanOffset - arenaOffset <= arenaBytes - PayloadArena.PREFIX_BYTES - bodyBytes;
    }

    /** Points a payload at a valid span; the body is not copied. Plain: ordered by the slot's publication. */
    public static void read(MemorySegment memory, long spanOffset, long bodyBytes, Payload into) {
        into.word0 = memory.get(ValueLayout.JAVA_LONG, spanOffset + PayloadArena.WORDS_OFFSET);
        into.word1 = memory.get(ValueLayout.JAVA_LONG, spanOffset + PayloadArena.WORDS_OFFSET + 8);
        into.word2 = memory.get(ValueLayout.JAVA_LONG, spanOffset + PayloadArena.WORDS_OFFSET + 16);
        into.word3 = memory.get(ValueLayout.JAVA_LONG, spanOffset + PayloadArena.WORDS_OFFSET + 24);
        into.body = memory;
        into.bodyOffset = spanOffset + PayloadArena.PREFIX_BYTES;
        into.bodyLength = bodyBytes;
    }

    /** Tells the allocating side that the span was read. */
    public static void release(MemorySegment memory, long spanOffset) {
        // [released: release] the body was read before this
        SharedWords.setLongRelease(memory, spanOffset + PayloadArena.IN_USE_OFFSET, 0);
    }

    /** Whether the reading side has released the span. */
    public static boolean isReleased(MemorySegment memory, long spanOffset) {
        // [released: acquire] the span is reused after this load
        return SharedWords.getLongAcquire(memory, spanOffset + PayloadArena.IN_USE_OFFSET) == 0;
    }
}

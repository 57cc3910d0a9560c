package dev.knitting.host;

import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadSpan;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A result that was taken from its slot but not decoded: decoding may run user code, which must not happen under a
 * drain lock or on a stranger's thread. Either a private copy of the slot's inline bytes, or a span of the lane's
 * return arena, which {@link #release} gives back.
 */
final class RawResult {
    private final Lane lane;
    private final long meta;
    private final long word0;
    private final long word1;
    private final long word2;
    private final long word3;
    private final byte @Nullable [] inline;

    RawResult(Lane lane, long meta, long word0, long word1, long word2, long word3, byte @Nullable [] inline) {
        this.lane = lane;
        this.meta = meta;
        this.word0 = word0;
        this.word1 = word1;
        this.word2 = word2;
        this.word3 = word3;
        this.inline = inline;
    }

    /** Points the payload at this result; once, before {@link #release}. */
    void read(Payload into) {
        into.clear();
        into.tag = dev.knitting.mailbox.SlotMeta.tag(meta);
        if (inline != null) {
            into.word0 = word0;
            into.word1 = word1;
            into.word2 = word2;
            into.word3 = word3;
            into.body = MemorySegment.ofArray(inline);
            into.bodyOffset = 0;
            into.bodyLength = inline.length;
        } else {
            PayloadSpan.read(lane.memory(), word0, word1, into);
        }
    }

    /** Tells the worker that the span was read. */
    void release() {
        if (inline == null) {
            lane.releaseSpan(word0);
        }
    }
}

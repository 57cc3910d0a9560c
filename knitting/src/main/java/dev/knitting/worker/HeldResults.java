package dev.knitting.worker;

import dev.knitting.codec.Payload;
import dev.knitting.codec.ValueCodec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Results that wait until the worker has nothing else to do. Never more than the host feeds ahead, since it takes a call
 * for open until it has the result. The loop's thread only.
 */
final class HeldResults {
    /**
     * One of them.
     *
     * @param payload a copy of its own; null if the flags say it all
     */
    record Held(
            long callId,
            int took,
            int flags,
            ValueCodec codec,
            @Nullable Payload payload) {}

    private final ArrayDeque<Held> results = new ArrayDeque<>();

    /**
     * Keeps a result: a copy, since the payload is used for the next one.
     *
     * @param from null if the host has the value by reference
     */
    void add(long callId, int took, int flags, ValueCodec codec, @Nullable Payload from) {
        results.addLast(new Held(callId, took, flags, codec, from == null ? null : copy(from)));
    }

    private static Payload copy(Payload from) {
        Payload copy = new Payload();
        copy.tag = from.tag;
        copy.headerLength = from.headerLength;
        copy.word0 = from.word0;
        copy.word1 = from.word1;
        copy.word2 = from.word2;
        copy.word3 = from.word3;
        MemorySegment body = from.body;
        if (body != null) {
            copy.body = MemorySegment.ofArray(
                    body.asSlice(from.bodyOffset, from.bodyLength).toArray(ValueLayout.JAVA_BYTE));
            copy.bodyLength = from.bodyLength;
        }
        return copy;
    }

    /** The oldest, or null. */
    @Nullable
    Held poll() {
        return results.pollFirst();
    }
}

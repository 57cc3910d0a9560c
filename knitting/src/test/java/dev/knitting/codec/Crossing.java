package dev.knitting.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stands in for the mailbox: copies what a mailbox copies into another payload, and nothing else. */
final class Crossing {
    /** Nothing in the tests is larger by accident. */
    static final long CAP = 1L << 20;

    /** An odd place, so that nothing relies on alignment. */
    private static final int OFFSET = 3;

    private Crossing() {}

    static ValueCodec codec(Type... roots) {
        return new ValueCodec(TypeTable.of(List.of(roots), List.of(), List.of()), CAP);
    }

    /** The value as the other side gets it. */
    static @Nullable Object cross(ValueCodec codec, @Nullable Object value) {
        Payload sent = new Payload();
        codec.encode(value, sent);
        return codec.decode(carry(sent, Arena.ofAuto()));
    }

    /** The failure as the other side gets it. */
    static RuntimeException crossFailure(ValueCodec codec, Throwable failure) {
        Payload sent = new Payload();
        codec.encodeFailure(failure, sent);
        return codec.decodeFailure(carry(sent, Arena.ofAuto()));
    }

    /** What arrives: the words, and the body in native memory at an odd offset. */
    static Payload carry(Payload sent, Arena arena) {
        Payload received = new Payload();
        received.tag = sent.tag;
        received.headerLength = sent.headerLength;
        received.word0 = sent.word0;
        received.word1 = sent.word1;
        received.word2 = sent.word2;
        received.word3 = sent.word3;
        received.bodyLength = sent.bodyLength;
        MemorySegment body = sent.body;
        if (body != null) {
            MemorySegment shared = arena.allocate(sent.bodyLength + OFFSET);
            MemorySegment.copy(body, sent.bodyOffset, shared, OFFSET, sent.bodyLength);
            received.body = shared;
            received.bodyOffset = OFFSET;
        }
        return received;
    }
}

package dev.knitting.mailbox;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;

/**
 * One slot of a mailbox: a header line of 64 bytes, then 512 bytes of inline payload. The header line is all that a call
 * with a small value moves.
 *
 * <pre>
 *   byte 0        8        16       24       32       40       48       56       64                576
 *        +--------+--------+--------+--------+--------+--------+--------+--------+--------...------+
 *        |sequence| callId |  meta  |deadline| word0  | word1  | word2  | word3  | inlineBytes     |
 *        +--------+--------+--------+--------+--------+--------+--------+--------+--------...------+
 * </pre>
 *
 * <ul>
 *   <li>{@code sequence}: position + 1 of the message in this slot, stored last; writer = producer, reader = consumer;
 *       edge [published]; starts 0, which no position has.
 *   <li>{@code callId}: chosen by the host, opaque to the worker, echoed in the result.
 *   <li>{@code meta}: packed by {@link SlotMeta}: task (of a result: how long it took) 16 bits, tag 8, flags 24, inline length 16.
 *   <li>{@code deadline}: on the host's clock, if {@link SlotMeta#FLAG_DEADLINE} is set; else left as it was.
 *   <li>{@code word0..word3}: the value itself, or arena offset and length in {@code word0, word1}.
 *   <li>{@code inlineBytes}: payload of 1 to 512 bytes.
 * </ul>
 *
 * <p>All but {@code sequence} are plain: written before it is stored with release, read after it was loaded with acquire.
 * The offsets are literals, so that a worker never loads this class; a test derives them from {@link #LAYOUT}.
 */
public final class SlotLayout {
    /** The slot as a struct. */
    public static final StructLayout LAYOUT = structLayout(
                    JAVA_LONG.withName("sequence"),
                    JAVA_LONG.withName("callId"),
                    JAVA_LONG.withName("meta"),
                    JAVA_LONG.withName("deadline"),
                    JAVA_LONG.withName("word0"),
                    JAVA_LONG.withName("word1"),
                    JAVA_LONG.withName("word2"),
                    JAVA_LONG.withName("word3"),
                    paddingLayout(512).withName("inlineBytes"))
            .withName("slot");

    /** Slots of a mailbox; a power of two. */
    public static final int SLOTS = 64;
    /** Mask from position to slot index. */
    public static final int SLOT_MASK = SLOTS - 1;
    /** Distance between slots: nine cache lines. */
    public static final long SLOT_STRIDE_BYTES = 576;
    /** Length of a mailbox. */
    public static final long MAILBOX_BYTES = SLOTS * SLOT_STRIDE_BYTES;
    /** Most bytes that go inline. */
    public static final int INLINE_BYTES = 512;

    static final long SEQUENCE_OFFSET = 0;
    static final long CALL_ID_OFFSET = 8;
    static final long META_OFFSET = 16;
    static final long DEADLINE_OFFSET = 24;
    static final long WORD0_OFFSET = 32;
    static final long WORD1_OFFSET = 40;
    static final long WORD2_OFFSET = 48;
    static final long WORD3_OFFSET = 56;
    static final long INLINE_OFFSET = 64;

    private SlotLayout() {}
}

package dev.knitting.mailbox;

import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The producer's end of one mailbox: fills the slot of a position that the caller owns, and publishes it. Who owns which
 * position is the caller's business (one thread, or a ticket); any thread may write a position that it owns.
 *
 * <p>INV-3: between owning a position and publishing it nothing allocates, locks or runs user code.
 */
public final class MailboxWriter {
    private final MemorySegment segment;
    private final long slots;

    /** A writer of the mailbox at this offset. */
    public MailboxWriter(MemorySegment segment, long slotsOffset) {
        this.segment = segment.asSlice(0, segment.byteSize());
        this.slots = slotsOffset;
        segment.asSlice(slotsOffset, SlotLayout.MAILBOX_BYTES, 64);
    }

    /**
     * Fills and publishes the slot of a position.
     *
     * @param position owned by the caller; the slot's previous message was taken
     * @param inline bytes that go inline, or null
     * @param inlineLength how many, 0 to 512
     */
    public void publish(
            long position,
            long callId,
            long meta,
            long word0,
            long word1,
            long word2,
            long word3,
            @Nullable MemorySegment inline,
            long inlineOffset,
            int inlineLength) {
        long slot = slots + (position & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
        segment.set(ValueLayout.JAVA_LONG, slot + SlotLayout.CALL_ID_OFFSET, callId);
        segment.set(ValueLayout.JAVA_LONG, slot + SlotLayout.META_OFFSET, meta);
        segment.set(ValueLayout.JAVA_LONG, slot + SlotLayout.WORD0_OFFSET, word0);
        segment.set(ValueLayout.JAVA_LONG, slot + SlotLayout.WORD1_OFFSET, word1);
        if (SlotMeta.isWide(meta)) {
            segment.set(ValueLayout.JAVA_LONG, slot + SlotLayout.WORD2_OFFSET, word2);
            segment.set(ValueLayout.JAVA_LONG, slot + SlotLayout.WORD3_OFFSET, word3);
        }
        if (inline != null) {
            MemorySegment.copy(inline, inlineOffset, segment, slot + SlotLayout.INLINE_OFFSET, inlineLength);
        }
        // [published: release] all other words of the slot, and the arena's bytes, are stored before this
        SharedWords.setLongRelease(segment, slot + SlotLayout.SEQUENCE_OFFSET, position + 1);
    }

    /** Publishes a position that carries nothing, because its owner failed; consumers skip it. */
    public void publishVoid(long position) {
        publish(position, 0, SlotMeta.pack(0, (byte) 0, SlotMeta.FLAG_VOID, 0), 0, 0, 0, 0, null, 0, 0);
    }
}

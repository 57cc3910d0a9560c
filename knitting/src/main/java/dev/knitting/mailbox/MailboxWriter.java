package dev.knitting.mailbox;

import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.memory.BufferWords;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The producer's end of one mailbox: fills the slot of a position that the caller owns, and publishes it. Who owns which
 * position is the caller's business (one thread, or a ticket); any thread may write a position that it owns.
 *
 * <p>INV-3: between owning a position and publishing it nothing allocates, locks or runs user code.
 */
public final class MailboxWriter {
    private final ByteBuffer words;
    private final int slots;
    /** The window as a segment, for inline bytes of any origin; made when first needed, by any thread. */
    private @Nullable MemorySegment segment;

    /**
     * A writer of a mailbox.
     *
     * @param window memory that holds the mailbox, in native byte order
     * @param slotsOffset where its slots start there, a multiple of 64
     * @throws IndexOutOfBoundsException if the mailbox does not lie in the window
     * @throws IllegalArgumentException if it is not aligned
     */
    public MailboxWriter(ByteBuffer window, long slotsOffset) {
        this.words = window;
        this.slots = MailboxArea.check(window, slotsOffset);
    }

    /** A writer of the mailbox at this offset of a segment, as {@link #MailboxWriter(ByteBuffer, long)}. */
    public MailboxWriter(MemorySegment segment, long slotsOffset) {
        this(MailboxArea.of(segment, slotsOffset), 0);
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
        BufferWords.setLongPlain(words, slot + SlotLayout.CALL_ID_OFFSET, callId);
        BufferWords.setLongPlain(words, slot + SlotLayout.META_OFFSET, meta);
        BufferWords.setLongPlain(words, slot + SlotLayout.WORD0_OFFSET, word0);
        BufferWords.setLongPlain(words, slot + SlotLayout.WORD1_OFFSET, word1);
        if (SlotMeta.isWide(meta)) {
            BufferWords.setLongPlain(words, slot + SlotLayout.WORD2_OFFSET, word2);
            BufferWords.setLongPlain(words, slot + SlotLayout.WORD3_OFFSET, word3);
        }
        if (inline != null) {
            MemorySegment.copy(inline, inlineOffset, segment(), slot + SlotLayout.INLINE_OFFSET, inlineLength);
        }
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.SLOT_FILLED);
        }
        // [published: release] all other words of the slot, and the arena's bytes, are stored before this
        BufferWords.setLongRelease(words, slot + SlotLayout.SEQUENCE_OFFSET, position + 1);
    }

    /** Writes the deadline of a position that the caller owns; before it is published with {@link SlotMeta#FLAG_DEADLINE}. */
    public void deadlinePlain(long position, long nanos) {
        long slot = slots + (position & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
        BufferWords.setLongPlain(words, slot + SlotLayout.DEADLINE_OFFSET, nanos);
    }

    /** As {@link #publish}, of a message that has one word and no bytes. */
    public void publishWord(long position, long callId, long meta, long word0) {
        long slot = slots + (position & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
        BufferWords.setLongPlain(words, slot + SlotLayout.CALL_ID_OFFSET, callId);
        BufferWords.setLongPlain(words, slot + SlotLayout.META_OFFSET, meta);
        BufferWords.setLongPlain(words, slot + SlotLayout.WORD0_OFFSET, word0);
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.SLOT_FILLED);
        }
        // [published: release] all other words of the slot are stored before this
        BufferWords.setLongRelease(words, slot + SlotLayout.SEQUENCE_OFFSET, position + 1);
    }

    private MemorySegment segment() {
        MemorySegment known = segment;
        if (known == null) {
            known = MemorySegment.ofBuffer(words);
            segment = known; // racy on purpose: all that may be made are the same
        }
        return known;
    }

    /** Publishes a position that carries nothing, because its owner failed; consumers skip it. */
    public void publishVoid(long position) {
        publishWord(position, 0, SlotMeta.pack(0, (byte) 0, SlotMeta.FLAG_VOID, 0), 0);
    }
}

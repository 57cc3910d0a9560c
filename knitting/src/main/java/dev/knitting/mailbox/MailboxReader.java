package dev.knitting.mailbox;

import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The consumer's end of one mailbox: looks at the slot it expects next and reads each of its words once. One thread at a
 * time; {@link #isEmpty} may be asked by any.
 *
 * <p>INV-1: a message at position p lies in slot p mod 64 and is complete once its sequence is p + 1. INV-2: positions
 * are taken in order, each once.
 */
public final class MailboxReader {
    private final MemorySegment segment;
    private final long slots;
    private long position;

    /** A reader of the mailbox at this offset that expects this position next. */
    public MailboxReader(MemorySegment segment, long slotsOffset, long position) {
        this.segment = segment.asSlice(0, segment.byteSize());
        this.slots = slotsOffset;
        this.position = position;
        segment.asSlice(slotsOffset, SlotLayout.MAILBOX_BYTES, 64);
    }

    /** The position expected next; exact for the reading thread, a hint for others. */
    public long position() {
        return position;
    }

    /** Whether the expected message has not been published yet. Racy for strangers: may err either way for a moment. */
    public boolean isEmpty() {
        long next = position;
        return sequenceAcquire(slotOf(next)) != next + 1;
    }

    /** Offset of the expected slot; valid after {@link #isEmpty} said false. */
    public long slot() {
        return slotOf(position);
    }

    /** Goes on to the next position. */
    public void advance() {
        position++;
    }

    private long slotOf(long at) {
        return slots + (at & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
    }

    private long sequenceAcquire(long slot) {
        // [published: acquire] the slot's other words are read after this load
        return SharedWords.getLongAcquire(segment, slot + SlotLayout.SEQUENCE_OFFSET);
    }

    /** The call's id. Plain: ordered by {@link #isEmpty}. */
    public long callIdPlain(long slot) {
        return segment.get(ValueLayout.JAVA_LONG, slot + SlotLayout.CALL_ID_OFFSET);
    }

    /** The packed meta word, see {@link SlotMeta}. Plain: ordered by {@link #isEmpty}. */
    public long metaPlain(long slot) {
        return segment.get(ValueLayout.JAVA_LONG, slot + SlotLayout.META_OFFSET);
    }

    /** A word of the value, 0 to 3. Plain: ordered by {@link #isEmpty}. */
    public long wordPlain(long slot, int index) {
        return segment.get(ValueLayout.JAVA_LONG, slot + SlotLayout.WORD0_OFFSET + 8L * index);
    }

    /**
     * Copies inline bytes out. Plain: ordered by {@link #isEmpty}.
     *
     * @param length 0 to 512, checked by the caller
     */
    public void inlinePlain(long slot, MemorySegment target, long targetOffset, int length) {
        MemorySegment.copy(segment, slot + SlotLayout.INLINE_OFFSET, target, targetOffset, length);
    }
}

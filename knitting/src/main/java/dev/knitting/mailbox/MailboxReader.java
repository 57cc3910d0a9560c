package dev.knitting.mailbox;

import dev.knitting.memory.BufferWords;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The consumer's end of one mailbox: looks at the slot it expects next and reads each of its words once. One thread at a
 * time; {@link #isEmpty} may be asked by any.
 *
 * <p>INV-1: a message at position p lies in slot p mod 64 and is complete once its sequence is p + 1. INV-2: positions
 * are taken in order, each once.
 */
public class MailboxReader {
    private final ByteBuffer words;
    private final int slots;
    private long position;

    /**
     * A reader of a mailbox.
     *
     * @param window memory that holds the mailbox, in native byte order
     * @param slotsOffset where its slots start there, a multiple of 64
     * @param position what it expects next
     * @throws IndexOutOfBoundsException if the mailbox does not lie in the window
     * @throws IllegalArgumentException if it is not aligned
     */
    public MailboxReader(ByteBuffer window, long slotsOffset, long position) {
        this.words = window;
        this.slots = MailboxArea.check(window, slotsOffset);
        this.position = position;
    }

    /** A reader of the mailbox at this offset of a segment, as {@link #MailboxReader(ByteBuffer, long, long)}. */
    public MailboxReader(MemorySegment segment, long slotsOffset, long position) {
        this(MailboxArea.of(segment, slotsOffset), 0, position);
    }

    /** The position expected next; exact for the reading thread, a hint for others. */
    public final long position() {
        return position;
    }

    /** Whether the expected message has not been published yet. Racy for strangers: may err either way for a moment. */
    public boolean isEmpty() {
        long next = position;
        return sequenceAcquire(slotOf(next)) != next + 1;
    }

    /**
     * How many messages wait in a row, the expected one first. Looking at all their sequences before taking the first one
     * lets their lines travel at the same time instead of one after another.
     *
     * @param most where to stop, at most {@link SlotLayout#SLOTS}
     */
    public int ready(int most) {
        long next = position;
        int found = 0;
        while (found < most && sequenceAcquire(slotOf(next + found)) == next + found + 1) {
            found++;
        }
        return found;
    }

    /** Offset of the expected slot; valid after {@link #isEmpty} said false. */
    public final long slot() {
        return slotOf(position);
    }

    /** Goes on to the next position. */
    public final void advance() {
        position++;
    }

    /** Goes on to a later position. */
    final void goTo(long later) {
        position = later;
    }

    /** The sequence that stands in a position's slot. */
    final long sequenceAt(long at) {
        return sequenceAcquire(slotOf(at));
    }

    private long slotOf(long at) {
        return slots + (at & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
    }

    private long sequenceAcquire(long slot) {
        // [published: acquire] the slot's other words are read after this load
        return BufferWords.getLongAcquire(words, slot + SlotLayout.SEQUENCE_OFFSET);
    }

    /** The call's id. Plain: ordered by {@link #isEmpty}. */
    public final long callIdPlain(long slot) {
        return BufferWords.getLongPlain(words, slot + SlotLayout.CALL_ID_OFFSET);
    }

    /** The packed meta word, see {@link SlotMeta}. Plain: ordered by {@link #isEmpty}. */
    public final long metaPlain(long slot) {
        return BufferWords.getLongPlain(words, slot + SlotLayout.META_OFFSET);
    }

    /** The deadline, if {@link SlotMeta#FLAG_DEADLINE} is set. Plain: ordered by {@link #isEmpty}. */
    public final long deadlinePlain(long slot) {
        return BufferWords.getLongPlain(words, slot + SlotLayout.DEADLINE_OFFSET);
    }

    /** A word of the value, 0 to 3. Plain: ordered by {@link #isEmpty}. */
    public final long wordPlain(long slot, int index) {
        return BufferWords.getLongPlain(words, slot + SlotLayout.WORD0_OFFSET + 8L * index);
    }

    /**
     * Copies inline bytes out. Plain: ordered by {@link #isEmpty}.
     *
     * @param length 0 to 512, checked by the caller
     */
    public final void inlinePlain(long slot, byte[] target, int length) {
        words.get((int) (slot + SlotLayout.INLINE_OFFSET), target, 0, length);
    }
}

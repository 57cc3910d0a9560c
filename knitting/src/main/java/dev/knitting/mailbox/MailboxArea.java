package dev.knitting.mailbox;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** Checks, once for all accesses to come, that a mailbox lies where it is said to lie. */
final class MailboxArea {
    private static final int ALIGNMENT_BYTES = 64;

    private MailboxArea() {}

    /** The offset, if a mailbox lies there, aligned to lines. */
    static int check(ByteBuffer window, long slotsOffset) {
        Objects.checkFromIndexSize(slotsOffset, SlotLayout.MAILBOX_BYTES, window.capacity());
        if (slotsOffset % ALIGNMENT_BYTES != 0) {
            throw new IllegalArgumentException("mailbox is not aligned: slotsOffset=" + slotsOffset);
        }
        return (int) slotsOffset;
    }

    /** The mailbox at this offset of a segment. */
    static ByteBuffer of(MemorySegment segment, long slotsOffset) {
        return segment.asSlice(slotsOffset, SlotLayout.MAILBOX_BYTES, ALIGNMENT_BYTES)
                .asByteBuffer()
                .order(ByteOrder.nativeOrder());
    }
}

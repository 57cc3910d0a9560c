package dev.knitting.proof;

import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.memory.BufferWords;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Message passing: writes a message of all words and 512 bytes, and reads the other side's as soon as it is there. */
final class LitmusMessages implements Litmus.Actor {
    private static final int LOOKS = 2_000;
    private static final long META = SlotMeta.pack(0, (byte) 0, SlotMeta.FLAG_INLINE, SlotLayout.INLINE_BYTES);
    private static final long SEQUENCE = offset("sequence");
    private static final long CALL_ID = offset("callId");
    private static final long META_WORD = offset("meta");
    private static final long WORD0 = offset("word0");
    private static final int INLINE = (int) offset("inlineBytes");

    private final Litmus litmus;
    private final ByteBuffer out;
    private final long outSlots;
    private final MailboxWriter writer;
    private final MailboxReader reader;
    private final byte[] bytes = new byte[SlotLayout.INLINE_BYTES];
    private final MemorySegment body = MemorySegment.ofArray(bytes);
    private final byte[] read = new byte[SlotLayout.INLINE_BYTES];
    private final MemorySegment readWords = MemorySegment.ofArray(read);

    LitmusMessages(LitmusArea area, int side, Litmus litmus) {
        boolean isHost = side == Litmus.HOST;
        this.litmus = litmus;
        this.out = isHost ? area.shared : area.returns;
        this.outSlots = isHost ? SharedMailboxLayout.SLOTS_OFFSET : 0;
        this.writer = new MailboxWriter(out, outSlots);
        this.reader = isHost
                ? new MailboxReader(area.returns, 0, 0)
                : new MailboxReader(area.shared, SharedMailboxLayout.SLOTS_OFFSET, 0);
    }

    private static long offset(String word) {
        return SlotLayout.LAYOUT.byteOffset(PathElement.groupElement(word));
    }

    @Override
    public int round(long round) {
        body.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, round);
        body.set(ValueLayout.JAVA_LONG_UNALIGNED, SlotLayout.INLINE_BYTES - 8, round);
        switch (litmus) {
            case MESSAGE_SEQUENCE_FIRST -> publishSequenceFirst(round);
            case MESSAGE_PLAIN -> publishPlain(round);
            default -> writer.publish(round, round, META, round, round, round, round, body, 0, SlotLayout.INLINE_BYTES);
        }
        int seen = look(round);
        reader.advance();
        return seen;
    }

    private int look(long round) {
        for (int looks = 0; reader.isEmpty(); looks++) {
            if (looks == LOOKS) {
                return Litmus.NOTHING;
            }
        }
        long slot = reader.slot();
        // The end first: of the broken twin it is written last.
        reader.inlinePlain(slot, read, SlotLayout.INLINE_BYTES);
        boolean whole = readWords.get(ValueLayout.JAVA_LONG_UNALIGNED, SlotLayout.INLINE_BYTES - 8) == round
                && readWords.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) == round
                && reader.callIdPlain(slot) == round
                && reader.metaPlain(slot) == META;
        for (int word = 0; word < 4; word++) {
            whole &= reader.wordPlain(slot, word) == round;
        }
        return whole ? Litmus.SEEN : Litmus.TORN;
    }

    private long slotOf(long round) {
        return outSlots + (round & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
    }

    private void publishSequenceFirst(long round) {
        BufferWords.setLongRelease(out, slotOf(round) + SEQUENCE, round + 1);
        writePlain(round);
    }

    private void publishPlain(long round) {
        writePlain(round);
        BufferWords.setLongPlain(out, slotOf(round) + SEQUENCE, round + 1);
    }

    private void writePlain(long round) {
        long slot = slotOf(round);
        BufferWords.setLongPlain(out, slot + CALL_ID, round);
        BufferWords.setLongPlain(out, slot + META_WORD, META);
        for (int word = 0; word < 4; word++) {
            BufferWords.setLongPlain(out, slot + WORD0 + 8L * word, round);
        }
        out.put((int) slot + INLINE, bytes);
    }
}

package dev.knitting.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Writer and reader of one mailbox, over memory of this process. */
class MailboxTest {
    /** The mailbox does not start at 0, and something lies behind it. */
    private static final long OFFSET = 4096;

    private final MemorySegment memory = Arena.ofAuto().allocate(OFFSET + SlotLayout.MAILBOX_BYTES + 4096, 64);
    private final MailboxWriter writer = new MailboxWriter(memory, OFFSET);

    private MailboxReader readerAt(long position) {
        return new MailboxReader(memory, OFFSET, position);
    }

    private static MemorySegment bytes(int length, int value) {
        return MemorySegment.ofArray(new byte[length]).fill((byte) value);
    }

    private void publish(long position, long callId) {
        writer.publish(position, callId, SlotMeta.pack(1, (byte) 2, 0, 0), 0, 0, 0, 0, null, 0, 0);
    }

    @Test
    void publish_allFields_areReadBack() {
        long meta = SlotMeta.pack(65_535, (byte) -1, SlotMeta.FLAG_INLINE, 512);
        MemorySegment inline = MemorySegment.ofArray(new byte[600]);
        for (int i = 0; i < 600; i++) {
            inline.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        writer.publish(0, Long.MIN_VALUE, meta, 1, -2, Long.MAX_VALUE, 4, inline, 88, 512);

        MailboxReader reader = readerAt(0);
        assertThat(reader.isEmpty()).isFalse();
        long slot = reader.slot();
        assertThat(reader.callIdPlain(slot)).isEqualTo(Long.MIN_VALUE);
        assertThat(reader.metaPlain(slot)).isEqualTo(meta);
        assertThat(reader.wordPlain(slot, 0)).isEqualTo(1);
        assertThat(reader.wordPlain(slot, 1)).isEqualTo(-2);
        assertThat(reader.wordPlain(slot, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(reader.wordPlain(slot, 3)).isEqualTo(4);
        byte[] copy = new byte[512];
        reader.inlinePlain(slot, copy, 512);
        assertThat(MemorySegment.ofArray(copy).mismatch(inline.asSlice(88, 512)))
                .isEqualTo(-1);
    }

    @Test
    void isEmpty_freshOrTakenMailbox_isTrue() {
        MailboxReader reader = readerAt(0);
        assertThat(reader.isEmpty()).isTrue();
        publish(0, 7);
        assertThat(reader.isEmpty()).isFalse();
        reader.advance();
        assertThat(reader.isEmpty()).isTrue();
        assertThat(reader.position()).isEqualTo(1);
    }

    @Test
    void isEmpty_laterPositionPublishedFirst_waitsForItsTurn() {
        MailboxReader reader = readerAt(0);
        publish(1, 11);
        assertThat(reader.isEmpty()).isTrue();
        publish(0, 10);
        assertThat(reader.callIdPlain(reader.slot())).isEqualTo(10);
        reader.advance();
        assertThat(reader.isEmpty()).isFalse();
        assertThat(reader.callIdPlain(reader.slot())).isEqualTo(11);
    }

    @Test
    void isEmpty_messageOfALapAgo_isNotTakenAgain() {
        publish(3, 1);
        assertThat(readerAt(3 + SlotLayout.SLOTS).isEmpty()).isTrue();
        publish(3 + SlotLayout.SLOTS, 2);
        assertThat(readerAt(3).isEmpty()).isTrue();
        assertThat(readerAt(3 + SlotLayout.SLOTS).isEmpty()).isFalse();
    }

    @Test
    void publishVoid_isAMessageThatCarriesNothing() {
        writer.publish(0, 5, SlotMeta.pack(9, (byte) 9, 0, 9), 1, 1, 1, 1, bytes(512, 1), 0, 512);
        writer.publishVoid(SlotLayout.SLOTS);
        MailboxReader reader = readerAt(SlotLayout.SLOTS);
        assertThat(reader.isEmpty()).isFalse();
        assertThat(SlotMeta.flags(reader.metaPlain(reader.slot()))).isEqualTo(SlotMeta.FLAG_VOID);
        assertThat(reader.callIdPlain(reader.slot())).isZero();
    }

    /** B14. */
    @Test
    void publish_longestInline_harmsNoNeighbour() {
        for (int at = 0; at < SlotLayout.SLOTS; at++) {
            memory.fill((byte) 0x5A);
            writer.publish(at, -1, -1, -1, -1, -1, -1, bytes(512, 0xFF), 0, 512);
            long start = OFFSET + at * SlotLayout.SLOT_STRIDE_BYTES;
            long end = start + SlotLayout.SLOT_STRIDE_BYTES;
            assertThat(bytes((int) start, 0x5A).mismatch(memory.asSlice(0, start)))
                    .as("before slot %d", at)
                    .isEqualTo(-1);
            long rest = memory.byteSize() - end;
            assertThat(bytes((int) rest, 0x5A).mismatch(memory.asSlice(end)))
                    .as("behind slot %d", at)
                    .isEqualTo(-1);
        }
    }

    /** B14: what is not written of the slot stays as it was, the word "deadline" for instance. */
    @Test
    void publish_partialInline_leavesTheRestOfTheSlot() {
        memory.fill((byte) 0x5A);
        writer.publish(2, 1, 1, 1, 1, 1, 1, bytes(7, 1), 0, 7);
        long slot = OFFSET + 2 * SlotLayout.SLOT_STRIDE_BYTES;
        assertThat(bytes(505, 0x5A).mismatch(memory.asSlice(slot + SlotLayout.INLINE_OFFSET + 7, 505)))
                .isEqualTo(-1);
        assertThat(memory.get(ValueLayout.JAVA_LONG, slot + SlotLayout.DEADLINE_OFFSET))
                .isEqualTo(0x5A5A5A5A5A5A5A5AL);
    }

    /** Both sides at once: every message whole, in order, once, over hundreds of laps. */
    @Test
    void publish_otherThreadReads_thousandsOfMessagesArriveInOrder() throws Exception {
        int messages = 40_000;
        long start = Long.MAX_VALUE / 2 - 77; // positions are far from 0 in a pool that lives long
        AtomicLong taken = new AtomicLong(start);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        CompletableFuture<String> read = new CompletableFuture<>();
        Thread consumer = new Thread(() -> {
            try {
                MailboxReader reader = readerAt(start);
                byte[] inline = new byte[512];
                for (long at = start; at < start + messages; at++) {
                    while (reader.isEmpty()) {
                        Thread.onSpinWait();
                        Thread.yield();
                    }
                    long slot = reader.slot();
                    int length = SlotMeta.length(reader.metaPlain(slot));
                    reader.inlinePlain(slot, inline, length);
                    boolean whole = reader.callIdPlain(slot) == at
                            && reader.wordPlain(slot, 0) == at * 3
                            && (length <= 16 || reader.wordPlain(slot, 3) == ~at)
                            && length == (int) (at & 511)
                            && (length == 0 || inline[0] == (byte) at && inline[length - 1] == (byte) at);
                    if (!whole) {
                        throw new AssertionError("position=" + at + ", callId=" + reader.callIdPlain(slot));
                    }
                    reader.advance();
                    taken.setRelease(at + 1);
                }
                read.complete("all");
            } catch (Throwable e) {
                read.completeExceptionally(e);
            }
        });
        consumer.setDaemon(true);
        consumer.start();
        MemorySegment inline = MemorySegment.ofArray(new byte[512]);
        for (long at = start; at < start + messages && !read.isDone(); at++) {
            while (at - taken.getAcquire() >= SlotLayout.SLOTS && !read.isDone()) {
                assertThat(System.nanoTime() - deadline).as("stuck at %d", at).isNegative();
                Thread.onSpinWait();
                Thread.yield();
            }
            inline.fill((byte) at);
            int length = (int) (at & 511);
            long meta = SlotMeta.pack(0, (byte) 0, 0, length);
            writer.publish(at, at, meta, at * 3, 0, 0, ~at, inline, 0, length);
        }
        assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo("all");
    }

    @Test
    void views_outsideOrUnalignedMemory_areRefused() {
        for (long offset : new long[] {-64, memory.byteSize() - SlotLayout.MAILBOX_BYTES + 64, Long.MAX_VALUE - 64}) {
            assertThatThrownBy(() -> new MailboxReader(memory, offset, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> new MailboxWriter(memory, offset)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> new MailboxReader(memory, OFFSET + 8, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MailboxWriter(memory, OFFSET + 8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LaneView(memory, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}

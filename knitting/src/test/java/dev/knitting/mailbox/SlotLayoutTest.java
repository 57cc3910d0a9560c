package dev.knitting.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SlotLayoutTest {
    @Test
    void offsets_literals_areThoseOfTheLayout() {
        assertThat(Offsets.literals(SlotLayout.class))
                .containsExactlyInAnyOrderEntriesOf(Offsets.derived(SlotLayout.LAYOUT));
    }

    @Test
    void header_isOneCacheLine() {
        assertThat(Offsets.of(SlotLayout.LAYOUT, "inlineBytes")).isEqualTo(64);
        assertThat(Offsets.of(SlotLayout.LAYOUT, "word3")).isEqualTo(56);
    }

    @Test
    void sizes_arePinned() {
        assertThat(SlotLayout.LAYOUT.byteSize()).isEqualTo(576);
        assertThat(SlotLayout.SLOT_STRIDE_BYTES).isEqualTo(576);
        assertThat(SlotLayout.INLINE_BYTES).isEqualTo(512);
        assertThat(SlotLayout.SLOTS).isEqualTo(64);
        assertThat(SlotLayout.SLOT_MASK).isEqualTo(63);
        assertThat(SlotLayout.MAILBOX_BYTES).isEqualTo(36_864);
    }

    @Property(tries = 500)
    void meta_fields_roundTrip(
            @ForAll @IntRange(max = 65_535) int task,
            @ForAll byte tag,
            @ForAll @IntRange(max = 0xFF_FFFF) int flags,
            @ForAll @IntRange(max = 65_535) int length) {
        long meta = SlotMeta.pack(task, tag, flags, length);
        assertThat(SlotMeta.task(meta)).isEqualTo(task);
        assertThat(SlotMeta.tag(meta)).isEqualTo(tag);
        assertThat(SlotMeta.flags(meta)).isEqualTo(flags);
        assertThat(SlotMeta.length(meta)).isEqualTo(length);
    }

    @Property(tries = 200)
    void meta_valuesBeyondTheirWidth_harmNoOtherField(@ForAll int task, @ForAll int flags, @ForAll int length) {
        long meta = SlotMeta.pack(task, (byte) 5, flags, length);
        assertThat(SlotMeta.task(meta)).isEqualTo(task & 0xFFFF);
        assertThat(SlotMeta.tag(meta)).isEqualTo((byte) 5);
        assertThat(SlotMeta.flags(meta)).isEqualTo(flags & 0xFF_FFFF);
        assertThat(SlotMeta.length(meta)).isEqualTo(length & 0xFFFF);
    }

    @Test
    void flags_eachIsABitOfItsOwn() {
        List<Integer> flags = List.of(
                SlotMeta.FLAG_VOID,
                SlotMeta.FLAG_FAILED,
                SlotMeta.FLAG_INLINE,
                SlotMeta.FLAG_ARENA,
                SlotMeta.FLAG_REFERENCE,
                SlotMeta.FLAG_TUPLE,
                SlotMeta.FLAG_DEADLINE,
                SlotMeta.FLAG_STOPPED,
                SlotMeta.FLAG_NEVER_RAN,
                SlotMeta.FLAG_PROGRESS);
        assertThat(flags)
                .allMatch(flag -> Integer.bitCount(flag) == 1 && flag < 1 << 24)
                .doesNotHaveDuplicates();
    }

    @Test
    void took_anyTime_isExactBelow32MillisAndNearAbove() {
        for (long micros = 0; micros < 1L << 15; micros++) {
            assertThat(SlotMeta.tookMicros(SlotMeta.took(micros * 1_000 + 999))).isEqualTo((int) micros);
        }
        int last = 0;
        for (long micros = 1L << 15; micros < Integer.MAX_VALUE; micros += 1 + micros / 997) {
            int code = SlotMeta.took(micros * 1_000);
            assertThat(code).isBetween(Math.max(last, (1 << 15) + 1), 0xFFFF);
            last = code;
            assertThat((long) SlotMeta.tookMicros(code)).isBetween(micros - micros / 1_000, micros);
        }
        assertThat(SlotMeta.tookMicros(SlotMeta.took(Long.MAX_VALUE))).isEqualTo(Integer.MAX_VALUE);
        assertThat(SlotMeta.tookMicros(0)).as("not measured").isEqualTo(-1);
    }
}

package dev.knitting.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class AbortViewTest {
    private static final int ANY = AbortLayout.ABORT | AbortLayout.INTERRUPT | AbortLayout.SKIP;

    private final MemorySegment memory = Arena.ofAuto().allocate(LaneLayout.ARENAS_OFFSET, 64);
    private final AbortView aborts = new AbortView(new LaneView(memory, 0).window());

    @Test
    void offsets_literals_areThoseOfTheLayout() {
        assertThat(Offsets.literals(AbortLayout.class))
                .containsExactlyInAnyOrderEntriesOf(Offsets.derived(AbortLayout.LAYOUT));
        assertThat(AbortLayout.LAYOUT.byteSize()).isEqualTo(AbortLayout.STRIDE_BYTES);
        assertThat(AbortLayout.RECORDS_BYTES).isEqualTo(16_384);
    }

    @Test
    void whatAcquire_freshLane_nothingIsWantedOfAnyCall() {
        for (long callId = 0; callId < 1_000; callId++) {
            assertThat(aborts.whatAcquire(callId)).isZero();
        }
    }

    /** A late abort can never hit the next call: the one that shares the record is 256 calls away. */
    @Test
    void whatAcquire_anotherCallOfTheSameRecord_isNotMeant() {
        aborts.requestRelease(1_000, ANY, "stop");
        assertThat(aborts.whatAcquire(1_000)).isEqualTo(ANY);
        for (long other : new long[] {1_000 - 256, 1_000 + 256, 999, 1_001, -1_000, 1_000 + (1L << 32)}) {
            assertThat(aborts.whatAcquire(other)).as("call %d", other).isZero();
        }
        aborts.requestRelease(1_256, AbortLayout.ABORT, "the next one");
        assertThat(aborts.whatAcquire(1_000)).isZero();
        assertThat(aborts.whatAcquire(1_256)).isEqualTo(AbortLayout.ABORT);
        assertThat(aborts.reasonPlain(1_256)).isEqualTo("the next one");
    }

    @Test
    void requestRelease_again_addsAndKeepsTheFirstReason() {
        aborts.requestRelease(7, AbortLayout.ABORT, "first");
        aborts.requestRelease(7, AbortLayout.INTERRUPT, "second");
        assertThat(aborts.whatAcquire(7)).isEqualTo(AbortLayout.ABORT | AbortLayout.INTERRUPT);
        assertThat(aborts.reasonPlain(7)).isEqualTo("first");
    }

    @Test
    void requestRelease_eachRecord_touchesNoNeighbour() {
        for (long callId = 0; callId < AbortLayout.RECORDS; callId++) {
            aborts.requestRelease(callId, AbortLayout.ABORT, "x".repeat(1_000) + callId);
        }
        for (long callId = 0; callId < AbortLayout.RECORDS; callId++) {
            assertThat(aborts.reasonPlain(callId)).isEqualTo("x".repeat(AbortLayout.REASON_BYTES));
        }
        assertThat(memory.asSlice(0, LaneLayout.ABORTS_OFFSET)
                        .mismatch(Arena.ofAuto().allocate(LaneLayout.ABORTS_OFFSET)))
                .as("what lies before")
                .isEqualTo(-1);
    }

    @Test
    void reason_cut_endsWithAWholeCharacter() {
        aborts.requestRelease(1, AbortLayout.ABORT, "x" + "€".repeat(30));
        assertThat(aborts.reasonPlain(1)).isEqualTo("x" + "€".repeat(15));
    }

    @Test
    void reasonPlain_forgedLength_readsWhatThereIs() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            memory.set(ValueLayout.JAVA_INT, LaneLayout.ABORTS_OFFSET + AbortLayout.LENGTH_OFFSET, length);
            assertThat(aborts.reasonPlain(0).length()).isBetween(0, AbortLayout.REASON_BYTES);
        }
    }
}

package dev.knitting.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class LaneViewTest {
    private static final long BASE = 8192;
    private final MemorySegment memory = Arena.ofAuto().allocate(BASE + LaneLayout.ARENAS_OFFSET, 64);
    private final LaneView view = new LaneView(memory, BASE);

    @Test
    void resetForIncarnation_leftoversOfADeadWorker_areGone() {
        memory.asSlice(BASE, LaneLayout.CONTROL_BYTES).fill((byte) 0x7F);
        view.resetForIncarnation(3, 1_000, 990);
        assertThat(view.stateAcquire()).isEqualTo(WorkerState.STARTING);
        assertThat(view.isStopRequestedAcquire()).isFalse();
        assertThat(view.requestsAcquire()).isZero();
        assertThat(System.nanoTime() - view.startNanosPlain()).isBetween(0L, 60_000_000_000L);
        assertThat(System.currentTimeMillis() - view.startMillisPlain()).isBetween(0L, 60_000L);
        assertThat(memory.get(ValueLayout.JAVA_INT, view.controlBellOffset())).isEqualTo(BellWord.OFF);
        assertThat(view.incarnationPlain()).isEqualTo(3);
        assertThat(view.submitStartPlain()).isEqualTo(1_000);
        assertThat(view.returnStartPlain()).isEqualTo(990);
        assertThat(view.retiredAcquire()).isEqualTo(1_000);
        assertThat(view.returnedAcquire()).isEqualTo(990);
        assertThat(view.errorTextPlain()).isEmpty();
        assertThat(memory.get(ValueLayout.JAVA_INT, view.workerBellOffset())).isEqualTo(BellWord.OFF);
    }

    /** Messages and aborts of calls to come, written by a worker that is dead now. */
    @Test
    void resetForIncarnation_messagesWrittenAhead_areGone() {
        memory.fill((byte) 0x7F);
        view.resetForIncarnation(2, 5, 6);
        for (long at = LaneLayout.SUBMIT_OFFSET; at < LaneLayout.ARENAS_OFFSET; at += 8) {
            assertThat(memory.get(ValueLayout.JAVA_LONG, BASE + at)).isZero();
        }
        assertThat(memory.get(ValueLayout.JAVA_BYTE, BASE - 1)).isEqualTo((byte) 0x7F);
        view.returnedRelease(-1);
        assertThat(view.preparedSubmitStart()).isEqualTo(5);
        assertThat(view.preparedReturnStart()).isEqualTo(6);
    }

    @Test
    void errorPlain_tooLong_isCutToWhatFits() {
        memory.fill((byte) 0);
        view.errorPlain(7, "x".repeat(LaneLayout.ERROR_TEXT_BYTES + 50));
        assertThat(view.errorTextPlain()).isEqualTo("x".repeat(LaneLayout.ERROR_TEXT_BYTES));
        assertThat(view.errorCodePlain()).isEqualTo(7);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, BASE + LaneLayout.SUBMIT_OFFSET))
                .as("the mailbox behind")
                .isZero();
    }

    @Test
    void errorTextPlain_forgedLength_readsWhatThereIs() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            memory.set(ValueLayout.JAVA_INT, BASE + LaneLayout.ERROR_LENGTH_OFFSET, length);
            assertThat(view.errorTextPlain().length()).isBetween(0, LaneLayout.ERROR_TEXT_BYTES);
        }
    }

    @Test
    void words_each_areReadBackFromTheirOwnPlace() {
        view.resetForIncarnation(1, 0, 0);
        view.ringingRelease();
        view.stateRelease(WorkerState.READY);
        view.retiredRelease(5);
        view.returnedRelease(6);
        view.stopVolatile();
        assertThat(view.hasAbortsAcquire()).isFalse();
        int before = view.requestsAcquire();
        view.abortsVolatile();
        assertThat(view.hasAbortsAcquire()).isTrue();
        assertThat(view.requestsAcquire()).isNotEqualTo(before);
        assertThat(view.isRingingAcquire()).isTrue();
        assertThat(view.stateAcquire()).isEqualTo(WorkerState.READY);
        assertThat(view.retiredAcquire()).isEqualTo(5);
        assertThat(view.returnedAcquire()).isEqualTo(6);
        assertThat(view.isStopRequestedAcquire()).isTrue();
        assertThat(view.incarnationPlain()).isEqualTo(1);
    }
}

package dev.knitting.doorbell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.mailbox.BellWord;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BellTest {
    private static final long WORD = 128;
    private final MemorySegment memory = Arena.ofAuto().allocate(256, 64);
    private final AtomicInteger wakes = new AtomicInteger();

    private int word() {
        return memory.get(ValueLayout.JAVA_INT, WORD);
    }

    private Bell bell(BellRinger ringer) {
        return new Bell(memory, WORD, ringer, false);
    }

    @Test
    void published_nobodySleeps_doesNotRing() {
        bell(wakes::incrementAndGet).published();
        assertThat(wakes).hasValue(0);
        assertThat(word()).isEqualTo(BellWord.OFF);
    }

    @Test
    void published_manyTimes_ringsOnceAnArming() {
        Bell bell = bell(wakes::incrementAndGet);
        for (int arming = 1; arming <= 3; arming++) {
            BellWord.armVolatile(memory, WORD);
            assertThat(bell.isArmed()).isTrue();
            for (int i = 0; i < 5; i++) {
                bell.published();
            }
            assertThat(wakes).hasValue(arming);
            assertThat(word()).isEqualTo(BellWord.SIGNALLED);
            assertThat(bell.isArmed()).isFalse();
        }
        BellWord.disarmRelease(memory, WORD);
        bell.published();
        assertThat(wakes).hasValue(3);
        assertThat(word()).isEqualTo(BellWord.OFF);
    }

    @Test
    void published_asymmetricFence_ringsAlike() {
        BellWord.armVolatile(memory, WORD);
        Bell bell = new Bell(memory, WORD, wakes::incrementAndGet, true);
        bell.published();
        bell.published();
        assertThat(wakes).hasValue(1);
    }

    @Test
    void published_byManyThreads_wakesOnceAnArming() throws Exception {
        int rounds = 20_000;
        AtomicInteger round = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Bell bell = bell(wakes::incrementAndGet);
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            for (int mine = 1; mine <= rounds; mine++) {
                while (round.get() < mine) {
                    Thread.onSpinWait();
                }
                bell.published();
                done.set(mine);
            }
        });
        for (int current = 1; current <= rounds; current++) {
            wakes.set(0);
            BellWord.armVolatile(memory, WORD);
            round.set(current);
            bell.published();
            while (done.get() < current) {
                Thread.onSpinWait();
            }
            assertThat(wakes).as("round %d", current).hasValue(1);
        }
        other.join();
    }

    /** B10: the wake runs when the word says SIGNALLED, so that the sleeper it wakes sees why. */
    @Test
    void published_ringerLooks_seesItsRing() {
        BellWord.armVolatile(memory, WORD);
        List<Integer> seen = new ArrayList<>();
        bell(() -> seen.add(word())).published();
        assertThat(seen).containsExactly(BellWord.SIGNALLED);
    }

    /** B10: a ring that could not be delivered is tried again by the next publication. */
    @Test
    void published_ringerThrows_isRungAgainNextTime() {
        for (Exception failure : List.of(new IOException("broken"), new IllegalStateException("broken"))) {
            BellWord.armVolatile(memory, WORD);
            bell(() -> sneak(failure)).published();
            assertThat(word()).isEqualTo(BellWord.ARMED);
            wakes.set(0);
            bell(wakes::incrementAndGet).published();
            assertThat(wakes).hasValue(1);
        }
    }

    /** B10: only its own state: the sleeper that woke and went on in the meantime is not armed against its will. */
    @Test
    void published_ringerThrowsAndSleeperMovedOn_leavesTheWordAlone() {
        BellWord.armVolatile(memory, WORD);
        bell(() -> {
                    BellWord.disarmRelease(memory, WORD);
                    throw new IOException("broken");
                })
                .published();
        assertThat(word()).isEqualTo(BellWord.OFF);

        BellWord.armVolatile(memory, WORD);
        bell(() -> {
                    BellWord.armVolatile(memory, WORD); // woke for another reason, sleeps again
                    throw new IOException("broken");
                })
                .published();
        assertThat(word()).isEqualTo(BellWord.ARMED);
    }

    private static void sneak(Exception failure) throws IOException {
        if (failure instanceof IOException io) {
            throw io;
        }
        throw (RuntimeException) failure;
    }
}

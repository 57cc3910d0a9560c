package dev.knitting.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FaultDeckTest {
    /** Points of workers, those at which a call runs twice. */
    private static final int CARDS = 19;

    private static List<Fault> firstOfEach(long seed, int seat, int incarnations) {
        List<Fault> drawn = new ArrayList<>();
        for (int incarnation = 1; incarnation <= incarnations; incarnation++) {
            drawn.add(FaultDeck.ofWorker(seed, FaultAction.KILL, seat, incarnation)
                    .draw());
        }
        return drawn;
    }

    @Test
    void ofWorker_asManyIncarnationsAsCards_noPointIsLeftOut() {
        for (long seed = 1; seed <= 20; seed++) {
            Set<FaultPoint> points = EnumSet.noneOf(FaultPoint.class);
            // From the second on: the first one must become ready, else no pool would open.
            firstOfEach(seed, 1, 2 * CARDS).subList(CARDS, 2 * CARDS).forEach(fault -> points.add(fault.point()));
            assertThat(points).as("seed %d", seed).hasSize(13).allMatch(FaultPoint::isWorkers);
        }
    }

    @Test
    void ofWorker_sameArguments_sameFaults_andOthersForOtherSeatsAndSeeds() {
        List<Fault> drawn = firstOfEach(1, 0, CARDS);
        assertThat(firstOfEach(1, 0, CARDS)).isEqualTo(drawn);
        assertThat(firstOfEach(1, 1, CARDS)).isNotEqualTo(drawn);
        assertThat(firstOfEach(2, 0, CARDS)).isNotEqualTo(drawn);
    }

    @Test
    void ofWorker_firstIncarnation_becomesReady() {
        for (long seed = 1; seed <= 100; seed++) {
            FaultPoint first =
                    FaultDeck.ofWorker(seed, FaultAction.KILL, 0, 1).draw().point();
            assertThat(first).isNotIn(FaultPoint.WORKER_ATTACHED, FaultPoint.WORKER_READY);
        }
    }

    @Test
    void ofWorker_thatLivesOn_suffersAgainAtPointsThatComeAgain() {
        FaultDeck deck = FaultDeck.ofWorker(1, FaultAction.STOP, 0, 5);
        deck.draw();
        for (int i = 0; i < 3 * CARDS; i++) {
            assertThat(deck.draw().point()).matches(point -> point.isWorkers() && !point.isPassedOnce());
        }
    }

    @Test
    void ofHost_oneRound_everyPointIsThereAndNothingEndsTheHost() {
        FaultDeck deck = FaultDeck.ofHost(1);
        Set<FaultPoint> points = EnumSet.noneOf(FaultPoint.class);
        for (int i = 0; i < 12; i++) {
            Fault fault = deck.draw();
            points.add(fault.point());
            assertThat(fault.action()).isNotEqualTo(FaultAction.KILL);
        }
        assertThat(points).hasSize(5).noneMatch(FaultPoint::isWorkers);
    }
}

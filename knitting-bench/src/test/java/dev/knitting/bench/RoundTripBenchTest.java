package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peer;
import dev.knitting.bench.peer.Peers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RoundTripBenchTest {
    private final FakePeer limit = new FakePeer();
    private final List<String> progress = new ArrayList<>();

    private List<CaseResult> run(Peer peer, int rounds, List<Op> ops, Integer... batches) throws Exception {
        var settings = new RoundTripBench.Settings(ops, List.of(batches), rounds, Duration.ofMillis(2L * rounds));
        return new RoundTripBench(new Peers.Choice("limit", () -> limit), settings, progress::add)
                .run(List.of(new Peers.Choice("fake", () -> peer)));
    }

    @ParameterizedTest
    @EnumSource(Op.class)
    void run_brokenPeer_fails(Op op) {
        FakePeer broken = new FakePeer.Broken(op);
        assertThatThrownBy(() -> run(broken, 1, List.of(op), 3))
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("peer=fake, op=" + op.label() + ", batch=" + (op == Op.INC_SYNC ? 1 : 3));
        assertThat(broken.isClosed).isTrue();
        assertThat(limit.isClosed).isTrue();
    }

    @Test
    void run_middleOfPayloadWrong_fails() {
        assertThatThrownBy(() -> run(new FakePeer.Patchy(), 1, List.of(Op.BYTES1K), 1))
                .isInstanceOf(WrongResultException.class);
    }

    @Test
    void run_answersOfTheBatchBefore_fails() {
        assertThatThrownBy(() -> run(new FakePeer.Stale(), 1, List.of(Op.INC), 10))
                .isInstanceOf(WrongResultException.class);
    }

    @Test
    void run_severalCases_bracketsEachWithTheLimit() throws Exception {
        FakePeer peer = new FakePeer();
        List<CaseResult> results = run(peer, 3, List.of(Op.INC_SYNC, Op.INC), 1, 10);
        assertThat(results)
                .extracting(result -> result.op().label() + "/" + result.batch())
                .containsExactly("inc-sync/1", "inc/1", "inc/10");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.rounds()).isEqualTo(3);
            assertThat(result.count()).isGreaterThanOrEqualTo(9);
            assertThat(result.limitNanos()).isPositive();
            assertThat(result.timesLimit()).isPositive();
        });
        int cases = 3;
        int rounds = 3;
        assertThat(peer.pauses).isEqualTo(1 + cases + cases * rounds);
        assertThat(limit.pauses).isEqualTo(2 + 2 * cases * rounds);
    }

    @Test
    void batchesOf_moreThanTheCap_leavesThemOut() {
        var settings =
                new RoundTripBench.Settings(List.of(Op.BYTES1M), List.of(1, 16, 17, 1000), 1, Duration.ofSeconds(1));
        assertThat(settings.batchesOf(Op.BYTES1M)).containsExactly(1, 16);
        assertThat(settings.batchesOf(Op.INC_SYNC)).containsExactly(1);
        assertThat(settings.batchesOf(Op.INC)).containsExactly(1, 16, 17, 1000);
    }

    @Test
    void run_peerCannotStart_closesTheOthers() {
        var settings = new RoundTripBench.Settings(List.of(Op.INC), List.of(), 1, Duration.ofSeconds(1));
        var bench = new RoundTripBench(new Peers.Choice("limit", () -> limit), settings, progress::add);
        var choices = List.of(new Peers.Choice("gone", () -> {
            throw new IllegalStateException("no such peer");
        }));
        assertThatThrownBy(() -> bench.run(choices)).hasMessage("no such peer");
        assertThat(limit.isClosed).isTrue();
    }
}

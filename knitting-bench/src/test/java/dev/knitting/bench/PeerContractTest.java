package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peer;
import dev.knitting.bench.peer.Peers;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every peer does every operation it claims, in every batch size, and leaves no process behind. */
class PeerContractTest {
    private static final Set<String> CHILDREN =
            Set.of("limit", "limit-park", "uds", "jdk-rmi", "pipes", "grpc-uds", "aeron-ipc-spin", "aeron-ipc-backoff");

    private long sequence = 1_000_000;

    static List<Peers.Choice> peers() {
        return Peers.all();
    }

    @ParameterizedTest
    @MethodSource("peers")
    void obstacle_eachPeer_isNoneOnLinux(Peers.Choice choice) {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "Linux has all that they need");
        assertThat(choice.obstacle()).isNull();
    }

    @Test
    void obstacle_libraryMissing_saysSo() {
        var choice = new Peers.Choice("fake", FakePeer::new, "no.such.Library", () -> null);
        assertThat(choice.obstacle()).contains("not on the class path");
    }

    @ParameterizedTest
    @MethodSource("peers")
    void open_eachPeer_doesRoundTripsOfEachOperationAndLeavesNoProcess(Peers.Choice choice) throws Exception {
        Set<Long> before = children();
        try (Peer peer = choice.opener().open()) {
            assertThat(peer.name()).isEqualTo(choice.name());
            assertThat(peer.supports(Op.INC_SYNC)).isTrue();
            for (Op op : Op.values()) {
                if (peer.supports(op)) {
                    for (int batch : op.defaultBatches()) {
                        roundTrips(peer, Workload.of(op, batch));
                    }
                }
            }
        }
        assertThat(children()).isEqualTo(before);
    }

    /** The caller takes answers while it waits for room to send; what it was about to send must survive that. */
    @Test
    void ordersAll_moreThanFitsUnderWay_answersRightly() throws Exception {
        Peers.Choice aeron = Peers.all().stream()
                .filter(choice -> choice.name().equals("aeron-ipc-spin"))
                .findFirst()
                .orElseThrow();
        assumeTrue(aeron.obstacle() == null, "needs Aeron");
        try (Peer peer = aeron.opener().open()) {
            roundTrips(peer, Workload.of(Op.ORDER, 60_000));
        }
    }

    /** The workload checks the results. */
    private void roundTrips(Peer peer, Workload workload) throws Exception {
        for (int i = 0; i < 2; i++) {
            workload.prepare(sequence++);
            workload.run(peer);
            workload.verify(peer.name());
            peer.pause();
        }
    }

    @ParameterizedTest
    @MethodSource("peers")
    void inc_childKilled_failsInsteadOfHanging(Peers.Choice choice) throws Exception {
        assumeTrue(CHILDREN.contains(choice.name()), "has a child that it does not replace");
        Set<Long> before = children();
        try (Peer peer = choice.opener().open()) {
            Workload workload = Workload.of(Op.INC_SYNC, 1);
            roundTrips(peer, workload);
            List<ProcessHandle> child = ProcessHandle.current()
                    .children()
                    .filter(process -> !before.contains(process.pid()))
                    .toList();
            assertThat(child).hasSize(1);
            child.getFirst().destroyForcibly();
            child.getFirst().onExit().join();
            // The limit may still read one right answer that was under way.
            assertThatThrownBy(() -> {
                        roundTrips(peer, workload);
                        roundTrips(peer, workload);
                    })
                    .isInstanceOf(Exception.class);
        }
    }

    private static Set<Long> children() {
        return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
    }
}

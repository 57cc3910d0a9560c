package dev.knitting.bench.peer;

import java.util.List;

/** The peers that a benchmark can choose from, and the limit. */
public final class Peers {
    /** How a peer comes to life. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Starts the peer and waits until it accepts calls.
         *
         * @throws Exception if it does not get that far; nothing is left behind then
         */
        Peer open() throws Exception;
    }

    /**
     * A peer that is not started yet.
     *
     * @param name the name that the started peer has too
     * @param opener starts it
     */
    public record Choice(String name, Opener opener) {}

    private static final List<Choice> ALL = List.of(
            limit(),
            new Choice("knitting-thread", KnittingPeer::threads),
            new Choice("knitting-process", KnittingPeer::processes),
            new Choice("jdk-executor", ExecutorPeer::new),
            new Choice("jdk-rmi", RmiPeer::new),
            new Choice("uds", UdsPeer::new));

    private Peers() {}

    /** All of them, in the order of reports. */
    public static List<Choice> all() {
        return ALL;
    }

    /** Two JVMs that spin on a word each: it has {@link Op#INC_SYNC} only. */
    public static Choice limit() {
        return new Choice("limit", LimitPeer::new);
    }
}

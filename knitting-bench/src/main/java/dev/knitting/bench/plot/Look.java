package dev.knitting.bench.plot;

import java.util.List;

/**
 * How a peer is drawn: the same in every plot.
 *
 * @param color readable on white and on black
 * @param shape of its markers
 * @param dashes of its line
 */
record Look(String color, int shape, String dashes) {
    private static final List<String> ORDER = List.of(
            "limit",
            "limit-park",
            "limit-park-thread",
            "knitting-process",
            "knitting-thread",
            "aeron-ipc-spin",
            "aeron-ipc-backoff",
            "uds",
            "pipes",
            "grpc-uds",
            "jdk-rmi",
            "disruptor-busyspin",
            "disruptor-blocking",
            "jdk-executor",
            "jdk-forkjoin",
            "jdk-virtual");
    private static final List<String> COLORS = List.of(
            "#868e96", "#868e96", "#868e96", "#e8590c", "#e8590c", "#1c7ed6", "#1c7ed6", "#2f9e44", "#ae3ec9",
            "#0c8599", "#c2255c", "#1c7ed6", "#1c7ed6", "#2f9e44", "#ae3ec9", "#0c8599");

    static Look of(String peer) {
        int index = ORDER.indexOf(peer);
        String dashes = peer.endsWith("-backoff") || peer.endsWith("-blocking") ? "6 4" : "none";
        return index < 0 ? new Look("#868e96", 0, "2 3") : new Look(COLORS.get(index), index, dashes);
    }

    static boolean isOwn(String peer) {
        return peer.startsWith("knitting");
    }
}

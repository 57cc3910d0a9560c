package dev.knitting.bench;

import dev.knitting.bench.peer.Kind;
import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peer;
import dev.knitting.bench.peer.Peers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How long does a lone call take that finds its worker asleep?
 *
 * <p>Before each call the caller sleeps for two milliseconds, so worker and caller have long stopped to spin, and the
 * cores have gone idle. The peers take turns call by call, so what the system does to one it does to all.
 */
public final class ParkBench {
    private static final Duration PAUSE = Duration.ofMillis(2);
    private static final List<String> PEERS =
            List.of("limit-park", "knitting-process", "uds", "limit-park-thread", "knitting-thread", "jdk-executor");

    private ParkBench() {}

    /**
     * One peer.
     *
     * @param peer its name
     * @param kind where it runs the function
     * @param calls how many calls
     * @param p50Nanos their median
     * @param p99Nanos their 99th percentile
     * @param timesLimit median over the median of the limit of sleeping processes, or of sleeping threads
     */
    public record Result(String peer, Kind kind, int calls, long p50Nanos, long p99Nanos, double timesLimit) {
        private String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"bench\":\"park\",\"peer\":\"%s\",\"kind\":\"%s\",\"n\":%d,\"p50_ns\":%d,\"p99_ns\":%d,"
                            + "\"x_limit_park\":%.3f}",
                    peer,
                    kind.label(),
                    calls,
                    p50Nanos,
                    p99Nanos,
                    timesLimit);
        }

        private List<String> row() {
            return List.of(
                    peer,
                    kind.label(),
                    "",
                    TableReport.significant(p50Nanos / 1e3),
                    TableReport.significant(p99Nanos / 1e3),
                    TableReport.significant(timesLimit));
        }
    }

    /**
     * Measures all of them.
     *
     * @param calls calls of each, at least 1; a tenth as many go first, unrecorded
     */
    public static List<Result> measure(int calls) throws Exception {
        List<Peer> open = new ArrayList<>();
        try {
            for (Peers.Choice choice : Peers.all()) {
                if (PEERS.contains(choice.name()) && choice.obstacle() == null) {
                    open.add(choice.opener().open());
                }
            }
            open.sort((one, other) -> PEERS.indexOf(one.name()) - PEERS.indexOf(other.name()));
            long[][] samples = new long[open.size()][calls];
            Workload call = Workload.of(Op.INC_SYNC, 1);
            for (int i = -calls / 10; i < calls; i++) {
                for (int k = 0; k < samples.length; k++) {
                    long nanos = lone(open.get(k), call, i + calls + 1_000_000L);
                    samples[k][Math.max(i, 0)] = nanos;
                }
            }
            return results(open, samples);
        } finally {
            for (Peer peer : open) {
                peer.close();
            }
        }
    }

    private static long lone(Peer peer, Workload call, long sequence) throws Exception {
        call.prepare(sequence);
        Thread.sleep(PAUSE);
        long begin = System.nanoTime();
        call.run(peer);
        long nanos = System.nanoTime() - begin;
        call.verify(peer.name());
        return nanos;
    }

    private static List<Result> results(List<Peer> peers, long[][] samples) {
        List<Result> results = new ArrayList<>();
        double limit = Double.NaN;
        for (int k = 0; k < samples.length; k++) {
            long[] sorted = samples[k];
            Arrays.sort(sorted);
            long p50 = Statistics.percentile(sorted, sorted.length, 50);
            Peer peer = peers.get(k);
            limit = peer.kind() == Kind.LIMIT ? p50 : limit;
            long p99 = Statistics.percentile(sorted, sorted.length, 99);
            results.add(new Result(peer.name(), peer.kind(), sorted.length, p50, p99, p50 / limit));
        }
        return results;
    }

    static List<String> lines(List<Result> results, boolean json) {
        if (json) {
            return results.stream().map(Result::json).toList();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("lone call, parked worker", "kind", "", "p50 us", "p99 us", "x limit-park"));
        results.forEach(result -> rows.add(result.row()));
        return TableReport.align(rows);
    }
}

package dev.knitting.bench;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peer;
import dev.knitting.bench.peer.Peers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What do many callers cost each other?
 *
 * <p>The same number of calls is under way in both forms: n callers with batches of 100 each, and one caller with
 * batches of n x 100. The two take turns on the same pool. Latency is that of a batch of one caller.
 */
public final class CallersBench {
    private static final int BATCH = 100;
    private static final long WARM_UP_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long FIRST_SEQUENCE = 1_000_000;

    private final int callers;
    private final int rounds;
    private final long roundNanos;

    /**
     * A benchmark that has not begun.
     *
     * @param callers how many, at least 1
     * @param rounds how often each form is measured, at least 1
     * @param roundTime how long each time
     */
    CallersBench(int callers, int rounds, Duration roundTime) {
        this.callers = callers;
        this.rounds = rounds;
        this.roundNanos = roundTime.toNanos();
    }

    /**
     * One form of one peer. Medians over the rounds.
     *
     * @param peer its name
     * @param callers how many at the same time
     * @param batch calls in a batch of one caller
     * @param callsPerSecond of all callers together
     * @param p50Nanos median time of a batch
     * @param maxNanos the slowest batch
     * @param maxOverMedian the slowest over the median
     * @param timesSingle calls per second over those of a single caller with as many calls under way
     */
    public record Result(
            String peer,
            int callers,
            int batch,
            double callsPerSecond,
            double p50Nanos,
            double maxNanos,
            double maxOverMedian,
            double timesSingle) {
        private String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"bench\":\"callers\",\"peer\":\"%s\",\"callers\":%d,\"batch\":%d,\"calls_per_s\":%.0f,"
                            + "\"p50_ns\":%.0f,\"max_ns\":%.0f,\"max_over_p50\":%.2f,\"x_single\":%.3f}",
                    peer,
                    callers,
                    batch,
                    callsPerSecond,
                    p50Nanos,
                    maxNanos,
                    maxOverMedian,
                    timesSingle);
        }

        private List<String> row() {
            return List.of(
                    peer,
                    "",
                    "",
                    callers + " x " + batch,
                    TableReport.significant(callsPerSecond / 1e6),
                    TableReport.significant(p50Nanos / 1e3),
                    TableReport.significant(maxNanos / 1e3),
                    TableReport.significant(maxOverMedian),
                    String.format(Locale.ROOT, "%.3f", timesSingle));
        }
    }

    private record Round(long calls, long nanos, long p50Nanos, long maxNanos) {
        double callsPerSecond() {
            return calls * 1e9 / nanos;
        }
    }

    /** Both forms of each of these peers, of which only those count that several callers may share; they are one for 1. */
    List<Result> measure(List<Peers.Choice> choices) throws Exception {
        List<Result> results = new ArrayList<>();
        for (Peers.Choice choice : choices) {
            try (Peer peer = choice.opener().open()) {
                if (peer.isShared()) {
                    results.addAll(measure(peer));
                }
            }
        }
        return results;
    }

    private List<Result> measure(Peer peer) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(
                callers, Thread.ofPlatform().daemon().name("caller-", 0).factory());
        try {
            List<Round> single = new ArrayList<>();
            List<Round> many = new ArrayList<>();
            round(threads, peer, 1, BATCH * callers, WARM_UP_NANOS);
            round(threads, peer, callers, BATCH, WARM_UP_NANOS);
            for (int i = 0; i < rounds; i++) {
                single.add(round(threads, peer, 1, BATCH * callers, roundNanos));
                many.add(round(threads, peer, callers, BATCH, roundNanos));
            }
            double[] ratios = new double[rounds];
            Arrays.setAll(
                    ratios, i -> many.get(i).callsPerSecond() / single.get(i).callsPerSecond());
            Result one = result(peer.name(), 1, BATCH * callers, single, 1);
            return callers == 1
                    ? List.of(one)
                    : List.of(one, result(peer.name(), callers, BATCH, many, Statistics.median(ratios)));
        } finally {
            threads.shutdownNow();
        }
    }

    private static Result result(String peer, int callers, int batch, List<Round> rounds, double timesSingle) {
        return new Result(
                peer,
                callers,
                batch,
                median(rounds, Round::callsPerSecond),
                median(rounds, Round::p50Nanos),
                median(rounds, Round::maxNanos),
                median(rounds, round -> (double) round.maxNanos() / round.p50Nanos()),
                timesSingle);
    }

    private static double median(List<Round> rounds, java.util.function.ToDoubleFunction<Round> part) {
        return Statistics.median(rounds.stream().mapToDouble(part).toArray());
    }

    private static Round round(ExecutorService threads, Peer peer, int callers, int batch, long nanos)
            throws Exception {
        long begin = System.nanoTime();
        List<Future<long[]>> parts = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            parts.add(threads.submit(caller(peer, batch, i, begin + nanos)));
        }
        List<long[]> samples = new ArrayList<>();
        for (Future<long[]> part : parts) {
            samples.add(part.get());
        }
        long elapsed = System.nanoTime() - begin;
        long[] all = samples.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        return new Round(
                (long) all.length * batch, elapsed, Statistics.percentile(all, all.length, 50), all[all.length - 1]);
    }

    /** Each caller's values are its own, so that an answer to another one is seen as wrong. */
    private static Callable<long[]> caller(Peer peer, int batch, int number, long end) {
        return () -> {
            Workload workload = Workload.of(Op.INC, batch);
            long sequence = FIRST_SEQUENCE * (number + 1);
            long[] samples = new long[1 << 10];
            int count = 0;
            do {
                workload.prepare(sequence++);
                long begin = System.nanoTime();
                workload.run(peer);
                long nanos = System.nanoTime() - begin;
                workload.verify(peer.name());
                if (count == samples.length) {
                    samples = Arrays.copyOf(samples, 2 * count);
                }
                samples[count++] = nanos;
            } while (System.nanoTime() < end);
            return Arrays.copyOf(samples, count);
        };
    }

    static List<String> lines(List<Result> results, boolean json) {
        if (json) {
            return results.stream().map(Result::json).toList();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "callers", "", "", "form", "million calls/s", "batch p50 us", "batch max us", "max/p50", "x single"));
        results.forEach(result -> rows.add(result.row()));
        return TableReport.align(rows);
    }
}

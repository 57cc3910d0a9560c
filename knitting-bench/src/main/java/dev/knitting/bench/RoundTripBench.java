package dev.knitting.bench;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peer;
import dev.knitting.bench.peer.Peers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long does a call take, there and back, and how far is that from what the hardware allows?
 *
 * <p>The limit drifts by a factor of four on a virtual machine, so figures of different minutes cannot be compared.
 * Therefore: all peers are open all the time; first every case is warmed up; then each round goes through all cases
 * and measures {@code limit, case, limit}. Peers are next to each other for each operation and batch. Who is not being
 * measured sleeps. The ratio to the limit is taken within a round, and the median of the rounds is reported.
 */
public final class RoundTripBench {
    private static final long LIMIT_NANOS = Duration.ofMillis(50).toNanos();
    /** Where others use the cores too, most time passes without any; with fewer the median would be a time slice. */
    private static final int LIMIT_SAMPLES = 50_000;

    /** Two free cores do it in less than a microsecond. */
    private static final long MAX_LIMIT_NANOS = 2000;

    /** Of a case, unless the case itself is measured for less than a fifth of that. */
    private static final long WARM_UP_NANOS = Duration.ofSeconds(1).toNanos();

    private static final int WARM_UP_FACTOR = 5;

    private final Peers.Choice limitChoice;
    private final Settings settings;
    private final Consumer<String> progress;
    private final CaseTimer timer = new CaseTimer();
    private final Workload limitWorkload = Workload.of(Op.INC_SYNC, 1);

    /**
     * What to measure.
     *
     * @param ops the operations
     * @param batches calls in a batch; empty for each operation's own. {@link Op#INC_SYNC} is not a batch and ignores
     *     them; batches of more than 16 MiB are left out
     * @param rounds how often to go through all cases, at least 1
     * @param caseTime how long to measure a case, all rounds together
     */
    public record Settings(List<Op> ops, List<Integer> batches, int rounds, Duration caseTime) {
        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if a number is not positive
         */
        public Settings {
            ops = List.copyOf(ops);
            batches = List.copyOf(batches);
            if (rounds < 1 || !caseTime.isPositive() || batches.stream().anyMatch(batch -> batch < 1)) {
                throw new IllegalArgumentException(
                        "not positive: rounds=" + rounds + ", caseTime=" + caseTime + ", batches=" + batches);
            }
        }

        List<Integer> batchesOf(Op op) {
            List<Integer> wanted = op == Op.INC_SYNC || batches.isEmpty() ? op.defaultBatches() : batches;
            return wanted.stream()
                    .filter(batch -> (long) batch * op.payloadBytes() <= Workload.MAX_BATCH_BYTES)
                    .toList();
        }
    }

    private record Case(Peer peer, Workload workload, List<CaseResult.Round> rounds) {
        CaseResult result() {
            return CaseResult.of(peer.name(), peer.kind(), workload.op(), workload.batch(), rounds);
        }
    }

    /**
     * A benchmark that has not begun.
     *
     * @param limitChoice what every case is compared with; it must have {@link Op#INC_SYNC}
     * @param settings what to measure
     * @param progress gets a line now and then
     */
    public RoundTripBench(Peers.Choice limitChoice, Settings settings, Consumer<String> progress) {
        this.limitChoice = limitChoice;
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * Opens the peers, measures, and closes them.
     *
     * @param choices the peers; the limit itself may be one of them
     * @return one result for each operation, batch size and peer that has the operation; maybe none
     * @throws WrongResultException if a peer answers wrongly
     * @throws Exception if a peer cannot be started or fails
     */
    public List<CaseResult> run(List<Peers.Choice> choices) throws Exception {
        Map<String, Peer> open = new LinkedHashMap<>();
        try {
            Peer limit = open(limitChoice, open);
            List<Peer> peers = new ArrayList<>();
            for (Peers.Choice choice : choices) {
                peers.add(open(choice, open));
            }
            List<Case> cases = cases(peers);
            warmUp(limit, cases);
            for (int round = 1; round <= settings.rounds(); round++) {
                progress.accept("round " + round + " of " + settings.rounds() + ": " + cases.size() + " cases, about "
                        + roundSeconds(cases.size()) + " s");
                for (Case each : cases) {
                    each.rounds().add(measure(limit, each));
                }
            }
            List<CaseResult> results = cases.stream().map(Case::result).toList();
            warnIfDisturbed(results);
            return results;
        } finally {
            close(open.values());
        }
    }

    private Peer open(Peers.Choice choice, Map<String, Peer> open) throws Exception {
        Peer known = open.get(choice.name());
        if (known != null) {
            return known;
        }
        progress.accept("starting " + choice.name());
        Peer peer = choice.opener().open();
        open.put(choice.name(), peer);
        peer.pause();
        return peer;
    }

    private List<Case> cases(List<Peer> peers) {
        List<Case> cases = new ArrayList<>();
        for (Op op : settings.ops()) {
            for (int batch : settings.batchesOf(op)) {
                Workload workload = Workload.of(op, batch);
                for (Peer peer : peers) {
                    if (peer.supports(op)) {
                        cases.add(new Case(peer, workload, new ArrayList<>(settings.rounds())));
                    }
                }
            }
        }
        return cases;
    }

    private void warmUp(Peer limit, List<Case> cases) throws Exception {
        timer.warmUp(limit, limitWorkload, WARM_UP_NANOS);
        limit.pause();
        Workload before = limitWorkload;
        for (Case each : cases) {
            if (each.workload() != before) {
                before = each.workload();
                progress.accept("warming up " + before.op().label() + " / " + before.batch());
            }
            timer.warmUp(each.peer(), each.workload(), caseWarmUpNanos());
            each.peer().pause();
        }
    }

    private long caseWarmUpNanos() {
        return Math.min(WARM_UP_NANOS, WARM_UP_FACTOR * settings.caseTime().toNanos());
    }

    private CaseResult.Round measure(Peer limit, Case each) throws Exception {
        long before = measureLimit(limit);
        long nanos = settings.caseTime().toNanos() / settings.rounds();
        CaseTimer.Timing timing = timer.measure(each.peer(), each.workload(), nanos);
        each.peer().pause();
        long after = measureLimit(limit);
        return new CaseResult.Round(before, timing, after);
    }

    private long measureLimit(Peer limit) throws Exception {
        long nanos =
                timer.measure(limit, limitWorkload, LIMIT_NANOS, LIMIT_SAMPLES).p50Nanos();
        limit.pause();
        return nanos;
    }

    private void warnIfDisturbed(List<CaseResult> results) {
        long disturbed = results.stream()
                .filter(result -> result.limitNanos() > MAX_LIMIT_NANOS)
                .count();
        if (disturbed > 0) {
            progress.accept("warning: something else used the cores: the limit took more than "
                    + MAX_LIMIT_NANOS / 1000 + " us around " + disturbed + " of " + results.size()
                    + " cases; their ratios mean nothing");
        }
    }

    private long roundSeconds(int cases) {
        long caseNanos = settings.caseTime().toNanos() / settings.rounds() + 2 * LIMIT_NANOS;
        return Duration.ofNanos(caseNanos + caseNanos / 10).multipliedBy(cases).toSeconds();
    }

    private static void close(Iterable<Peer> peers) throws IOException {
        @Nullable IOException first = null;
        for (Peer peer : peers) {
            try {
                peer.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}

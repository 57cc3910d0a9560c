package dev.knitting.bench;

import dev.knitting.bench.peer.Kind;
import dev.knitting.bench.peer.Op;
import java.util.List;
import java.util.Locale;

/**
 * What was measured for one peer, operation and batch size. An iteration is one batch: all calls made, all results
 * there.
 *
 * @param peer the peer's name
 * @param kind where it runs the function
 * @param op the operation
 * @param batch calls in an iteration
 * @param count iterations, over all rounds
 * @param p50Nanos median of an iteration, median over the rounds
 * @param p99Nanos 99th percentile of an iteration, median over the rounds
 * @param limitNanos mean of the two limits around the case, median over the rounds
 * @param timesLimit time per call as a multiple of the mean of the two limits around it, median over the rounds
 * @param rounds how many rounds
 */
public record CaseResult(
        String peer,
        Kind kind,
        Op op,
        int batch,
        long count,
        double p50Nanos,
        double p99Nanos,
        double limitNanos,
        double timesLimit,
        int rounds) {

    /**
     * One case in one round.
     *
     * @param limitBefore median round trip of the limit just before, in nanoseconds
     * @param timing the case
     * @param limitAfter median round trip of the limit just after, in nanoseconds
     */
    record Round(long limitBefore, CaseTimer.Timing timing, long limitAfter) {
        double limitNanos() {
            return (limitBefore + limitAfter) / 2.0;
        }
    }

    static CaseResult of(String peer, Kind kind, Op op, int batch, List<Round> rounds) {
        return new CaseResult(
                peer,
                kind,
                op,
                batch,
                rounds.stream().mapToLong(round -> round.timing().count()).sum(),
                median(rounds, round -> round.timing().p50Nanos()),
                median(rounds, round -> round.timing().p99Nanos()),
                median(rounds, Round::limitNanos),
                median(rounds, round -> (double) round.timing().p50Nanos() / batch / round.limitNanos()),
                rounds.size());
    }

    private static double median(List<Round> rounds, java.util.function.ToDoubleFunction<Round> part) {
        return Statistics.median(rounds.stream().mapToDouble(part).toArray());
    }

    /** Median time of an iteration, divided by its calls. */
    public double perCallNanos() {
        return p50Nanos / batch;
    }

    /** One JSON object on one line. */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"peer\":\"%s\",\"kind\":\"%s\",\"op\":\"%s\",\"batch\":%d,\"n\":%d,\"p50_ns\":%.0f,\"p99_ns\":%.0f,"
                        + "\"per_call_p50_ns\":%.1f,\"limit_p50_ns\":%.1f,\"x_limit\":%.3f,\"rounds\":%d}",
                peer,
                kind.label(),
                op.label(),
                batch,
                count,
                p50Nanos,
                p99Nanos,
                perCallNanos(),
                limitNanos,
                timesLimit,
                rounds);
    }
}

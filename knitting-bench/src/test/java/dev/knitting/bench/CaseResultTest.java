package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.bench.peer.Kind;
import dev.knitting.bench.peer.Op;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaseResultTest {
    private static CaseResult.Round round(long before, long p50, long p99, long after) {
        return new CaseResult.Round(before, new CaseTimer.Timing(7, p50, p99), after);
    }

    /** The limit drifts by a factor of four from round to round; the ratio does not. */
    private static CaseResult driftingLimit() {
        return CaseResult.of(
                "uds",
                Kind.PROCESS,
                Op.INC,
                10,
                List.of(
                        round(100, 20_000, 30_000, 100),
                        round(300, 80_000, 90_000, 500),
                        round(90, 19_800, 25_000, 90)));
    }

    @Test
    void of_limitDrifts_takesTheRatioWithinEachRound() {
        CaseResult result = driftingLimit();
        assertThat(result.count()).isEqualTo(21);
        assertThat(result.p50Nanos()).isEqualTo(20_000);
        assertThat(result.p99Nanos()).isEqualTo(30_000);
        assertThat(result.perCallNanos()).isEqualTo(2000);
        assertThat(result.limitNanos()).isEqualTo(100);
        assertThat(result.timesLimit()).isEqualTo(20);
    }

    @Test
    void json_anyResult_isOneFlatObject() {
        assertThat(driftingLimit().json())
                .isEqualTo("{\"peer\":\"uds\",\"kind\":\"process\",\"op\":\"inc\",\"batch\":10,\"n\":21,"
                        + "\"p50_ns\":20000,\"p99_ns\":30000,\"per_call_p50_ns\":2000.0,\"limit_p50_ns\":100.0,"
                        + "\"x_limit\":20.000,\"rounds\":3}");
    }
}

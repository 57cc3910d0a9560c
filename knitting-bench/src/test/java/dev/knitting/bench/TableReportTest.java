package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.bench.peer.Kind;
import dev.knitting.bench.peer.Op;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableReportTest {
    @Test
    void lines_twoGroups_alignsAndNamesEachGroupOnce() {
        List<String> lines = TableReport.lines(List.of(
                new CaseResult("uds", Kind.PROCESS, Op.INC, 1, 1000, 44_000, 90_000, 150, 293.3, 5),
                new CaseResult("jdk-executor", Kind.THREAD, Op.INC, 1, 20, 25_000, 26_000, 150, 166.6, 5),
                new CaseResult("uds", Kind.PROCESS, Op.ORDER, 10, 1, 82_000, 99_000, 150, 54.66, 5)));
        assertThat(lines)
                .containsExactly(
                        "op / batch  peer          kind     p50 us  p99 us  per call us  limit us  x limit     n",
                        "inc / 1     uds           process    44.0    90.0         44.0     0.150      293  1000",
                        "            jdk-executor  thread     25.0    26.0         25.0     0.150      167    20",
                        "",
                        "order / 10  uds           process    82.0    99.0         8.20     0.150     54.7     1");
    }

    @Test
    void significant_anySize_keepsThreeDigits() {
        assertThat(TableReport.significant(0.1234)).isEqualTo("0.123");
        assertThat(TableReport.significant(1.234)).isEqualTo("1.23");
        assertThat(TableReport.significant(12.34)).isEqualTo("12.3");
        assertThat(TableReport.significant(1234.5)).isEqualTo("1235");
    }
}

package dev.knitting.bench.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlotsTest {
    @TempDir
    private Path directory;

    private static String roundTrip(String peer, String kind, String op, int batch, double nanos) {
        return "{\"peer\":\"" + peer + "\",\"kind\":\"" + kind + "\",\"op\":\"" + op + "\",\"batch\":" + batch
                + ",\"n\":9,\"p50_ns\":" + nanos * batch + ",\"p99_ns\":" + 2 * nanos * batch + ",\"per_call_p50_ns\":"
                + nanos + ",\"limit_p50_ns\":100.0,\"x_limit\":" + nanos / 100 + ",\"rounds\":5}";
    }

    @Test
    void write_allKindsOfResults_writesWellFormedPlotsAndTables() throws Exception {
        Path results = Files.write(
                directory.resolve("results.jsonl"),
                List.of(
                        "{\"bench\":\"meta\",\"date\":\"today\"}",
                        "{\"bench\":\"command\",\"command\":\"./knit bench --json\"}",
                        roundTrip("limit", "limit", "inc-sync", 1, 100),
                        roundTrip("uds", "process", "inc-sync", 1, 40_000),
                        roundTrip("uds", "process", "inc", 1, 40_000),
                        roundTrip("uds", "process", "inc", 1000, 4000),
                        roundTrip("uds", "process", "bytes1k", 1, 40_000),
                        roundTrip("uds", "process", "bytes1m", 1, 400_000),
                        "{\"bench\":\"park\",\"peer\":\"uds\",\"kind\":\"process\",\"n\":5,\"p50_ns\":40000}",
                        "{\"bench\":\"callers\",\"peer\":\"uds\",\"callers\":2,\"batch\":100,\"calls_per_s\":1000000}",
                        "{\"bench\":\"callers\",\"peer\":\"uds\",\"callers\":8,\"batch\":100,\"calls_per_s\":2000000}",
                        "{\"bench\":\"skew\",\"pool\":\"knitting-process\",\"ratio\":1.02}"));
        List<Path> written = Plots.write(results, directory.resolve("out"));
        assertThat(written)
                .extracting(file -> file.getFileName().toString())
                .containsExactly(
                        "inc-sync.svg", "park.svg", "inc-process.svg", "payload.svg", "callers.svg", "results.md");
        for (Path file : written.subList(0, written.size() - 1)) {
            var document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
            assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
            assertThat(file).content().contains("prefers-color-scheme: dark", "uds");
        }
        assertThat(written.getLast())
                .content()
                .contains("- date: today", "./knit bench --json", "| inc / 1000 | 4 |", "| knitting-process | 1.02 |");
    }

    @Test
    void svg_timesOfSeveralDecades_putsThemOnALogarithmicAxis() {
        var chart = new LineChart(
                "a < b", "calls", Map.of("uds", new TreeMap<>(Map.of(1.0, 1000.0, 10.0, 100.0, 100.0, 10.0))));
        assertThat(chart.svg()).contains("a &lt; b", ">10 ns<", ">100 ns<", ">1 µs<");
        LogScale scale = LogScale.around(List.of(10.0, 1000.0), 300, 100);
        assertThat(scale.at(10)).isEqualTo(300);
        assertThat(scale.at(100)).isEqualTo(200);
        assertThat(scale.at(1000)).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "x", "{\"a\":1", "{\"a\":1} ", "{\"a\":[1]}", "{\"a\":\"\\\"\"}"})
    void parse_notAFlatObject_isRefused(String line) {
        assertThatThrownBy(() -> JsonLine.parse(line)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void number_missing_namesTheField() {
        JsonLine line = JsonLine.parse("{\"peer\":\"uds\",\"n\":-1.5e3}");
        assertThat(line.number("n")).isEqualTo(-1500);
        assertThatThrownBy(() -> line.number("batch")).hasMessageContaining("name=batch");
    }
}

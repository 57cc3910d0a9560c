package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peers;
import dev.knitting.observe.SandboxTable;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The benchmarks beside the round trips, each for a moment. */
class OtherBenchesTest {
    private final StringWriter output = new StringWriter();

    private List<String> run(String... args) {
        int exitCode = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(output))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(args);
        assertThat(exitCode).isZero();
        return output.toString().lines().toList();
    }

    @ParameterizedTest
    @CsvSource({"park,5,6", "skew,'',3", "callers,2,2", "'workers','1,2',12"})
    void json_eachBench_printsItsResults(String bench, String value, int results) {
        String option = "--" + bench + (value.isEmpty() ? "" : "=" + value);
        List<String> lines =
                run("--json", option, "--rounds", "1", "--seconds", "0.02", "--peers", "jdk-executor,pipes");
        assertThat(lines).hasSize(results).allMatch(line -> line.startsWith("{\"bench\":\"" + bench + "\""));
    }

    @Test
    void sandbox_printsBothStartsAndBothRatios() {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        assertThat(run("--sandbox", "1"))
                .hasSize(7)
                .anyMatch(line -> line.startsWith("ready: sandboxed to linked"))
                .last()
                .asString()
                .contains("(promised: 1.05)");
    }

    @Test
    void callers_wrongAnswer_endsTheRun() {
        FakePeer broken = new FakePeer.Broken(Op.INC) {
            @Override
            public boolean isShared() {
                return true;
            }
        };
        CallersBench bench = new CallersBench(2, 1, Duration.ofMillis(1));
        assertThatThrownBy(() -> bench.measure(List.of(new Peers.Choice("fake", () -> broken))))
                .hasRootCauseInstanceOf(WrongResultException.class);
        assertThat(broken.isClosed).isTrue();
    }

    @Test
    void plot_resultsOfOurOwn_writesPlotsAndTables(@TempDir Path directory) throws Exception {
        List<String> lines = run(
                "--json",
                "--peers",
                "jdk-executor",
                "--ops",
                "inc",
                "--batches",
                "1,2",
                "--rounds",
                "1",
                "--seconds",
                "0.01");
        Path results = Files.write(directory.resolve("results.jsonl"), lines);
        Path plots = directory.resolve("plots");
        run("--plot", results.toString(), "--out", plots.toString());
        assertThat(plots.resolve("inc-thread.svg")).isNotEmptyFile();
        assertThat(plots.resolve("results.md")).content().contains("| inc / 2 |", "| op / batch | jdk-executor |");
    }
}

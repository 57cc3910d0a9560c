package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A moment of chaos; docs/reliability.md has the long runs. */
class ChaosCommandTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    @Timeout(300)
    void chaos_aMoment_nothingIsUnsettledWrongOrLeftBehind(String action) throws Exception {
        CommandRun run = KnitProcess.start(folder, "chaos", "--seconds", "4", "--action", action, "--json")
                .join();
        assertThat(run.exitCode()).as(run.toString()).isZero();
        Map<String, Object> report = run.lines().getFirst();
        assertThat(report)
                .containsEntry("unsettled", 0)
                .containsEntry("wrong", 0)
                .containsEntry("firstWrong", null);
        assertThat(report).extractingByKey("calls").isNotEqualTo(0);
        assertThat(report).extractingByKey("faults").isNotEqualTo(0);
        assertThat(report).extractingByKey("hostFaults").isNotEqualTo(0);
        assertThat(report).containsEntry("kills", action.equals("KILL") ? report.get("faults") : Integer.valueOf(0));
    }

    @Test
    @Timeout(60)
    void chaos_unknownAction_isWrongUsage() throws Exception {
        assertThat(KnitProcess.start(folder, "chaos", "--action", "HOPE").join().exitCode())
                .isEqualTo(2);
    }
}

package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What every command has in common. */
final class KnitTest {
    @Test
    void execute_noArguments_showsTheUsage() {
        CommandRun run = run();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("Usage: knit ").contains("map", "demo", "bench", "doctor");
    }

    @Test
    void execute_helpOfEachCommand_listsItsExitCodes() {
        for (String command : List.of("demo", "map", "bench", "doctor")) {
            CommandRun run = run(command, "--help");
            assertThat(run.exitCode()).as(command).isZero();
            assertThat(run.out()).startsWith("Usage: knit " + command).contains("Exit codes:");
        }
    }

    @Test
    void execute_version_namesTheJavaVersion() {
        assertThat(run("--version").out())
                .startsWith("knit ")
                .contains(Runtime.version().toString());
    }

    @Test
    void execute_unknownCommand_isWrongUsage() {
        CommandRun run = run("unravel");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("unravel").contains("--help");
    }

    @Test
    void execute_requiredOptionMisspelt_namesWhatWasWritten() {
        CommandRun run = run("map", "--tusk", "a.B::run", "file");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("Unknown option", "--tusk").doesNotContain("Missing");
        assertThat(run("map", "file").err()).contains("Missing required option", "--task");
    }

    @Test
    void execute_notOnATerminal_usesNoColours() {
        assertThat(run("--help").out()).doesNotContain("\u001b");
        assertThat(run("unravel").err()).doesNotContain("\u001b");
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(CountingPool.of(1), args);
    }
}

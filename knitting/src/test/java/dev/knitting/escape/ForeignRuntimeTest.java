package dev.knitting.escape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Sandbox;
import dev.knitting.observe.SandboxTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Java runtime that is not the host's: what it cannot do is found out, said or done without. The runtimes are scripts
 * that look at their command line and then run the real one.
 */
@Timeout(60)
class ForeignRuntimeTest {
    private static final Path REAL = Path.of(System.getProperty("java.home"));

    @TempDir
    Path directory;

    @BeforeEach
    void needsAShell() {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")) && Files.isExecutable(Path.of("/usr/bin/grep")));
    }

    /** A home whose program notes each start and then does what the script says; {@code $file} is the argument file. */
    private Path home(String script) throws IOException {
        Path home = directory.resolve("jdk");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, """
            #!/bin/sh
            for word in "$@"; do
              case "$word" in @*) file="${word#@}";; esac
              last="$word"
            done
            echo "$last" >>%s
            %s
            exec %s "$@"
            """.formatted(starts(), script, REAL.resolve("bin/java")));
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        return home;
    }

    private Path starts() {
        return directory.resolve("starts");
    }

    private List<String> started() throws IOException {
        return Files.exists(starts()) ? Files.readAllLines(starts()) : List.of();
    }

    /** As a JVM refuses an option: the exit code and words of HotSpot. */
    private static String refusing(String option) {
        return """
            if /usr/bin/grep -q -e '%s' "$file"; then
              echo "Unrecognized VM option '%s'"
              echo "Error: Could not create the Java Virtual Machine."
              exit 1
            fi\
            """.formatted(option, option);
    }

    private static PoolBuilder pool(Path home) {
        return Pool.processes(2).jvm(jvm -> jvm.maxHeap("48m").javaHome(home));
    }

    /** With what a script needs to run. */
    private Sandbox sandbox() {
        return Sandbox.strict()
                .read(REAL)
                .write(directory)
                .execute(Path.of("/bin/sh"), Path.of("/usr/bin/grep"), REAL.resolve("bin/java"));
    }

    @Test
    void optionOfOurs_refused_isLeftOutAndTheWorkersStart() throws IOException {
        Path home = home(refusing("ServiceThreadCleanupInterval"));
        try (Pool pool = pool(home).open()) {
            assertThat(pool.invoke(() -> EscapeTest.twice(21))).isEqualTo(42);
        }
        int first = started().size();
        assertThat(first).isBetween(3, 4); // one or both refused, then two
        try (Pool pool = pool(home).open()) {
            assertThat(pool.invoke(() -> EscapeTest.twice(21))).isEqualTo(42);
        }
        assertThat(started()).as("the next pool knows").hasSize(first + 2);
    }

    @Test
    void optionOfTheUsers_refused_failsOpenWithWhatTheJvmSays() throws IOException {
        Path home = home(refusing("UseFooBar"));
        assertThatThrownBy(() ->
                        pool(home).jvm(jvm -> jvm.options("-XX:+UseFooBar")).open())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED))
                .hasMessageContaining("Unrecognized VM option 'UseFooBar'");
    }

    @Test
    void optionThatTheSandboxNeeds_refused_isNeverLeftOut() throws IOException {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        Path home = home(refusing("DisableAttachMechanism"));
        assertThatThrownBy(() -> pool(home).sandbox(sandbox()).open())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PLATFORM))
                .hasMessageContaining("Unrecognized VM option 'DisableAttachMechanism'")
                .hasMessageContaining("option=jvm.javaHome");
        assertThat(started()).as("asked, and no worker").containsExactly("report");
    }

    @Test
    void runtimeThatRuns_isAskedOnce_andTheSandboxHolds() throws IOException {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        String answer = "echo 'knitting-report arch=%s java=25'".formatted(System.getProperty("os.arch"));
        // Answered by the script: a JVM may take longer than two seconds on a busy machine, and is asked again then.
        Path home = home(refusing("UsePerfData") + "\nif [ \"$last\" = report ]; then " + answer + "; exit 0; fi");
        String secret = Files.writeString(Path.of(System.getProperty("user.home"), ".knit-" + System.nanoTime()), "x")
                .toString();
        try {
            for (int i = 0; i < 2; i++) {
                try (Pool pool = pool(home).sandbox(sandbox()).open()) {
                    assertThatThrownBy(() -> pool.invoke(() -> SandboxTasks.read(secret)))
                            .hasMessageContaining("refused by the sandbox");
                }
            }
        } finally {
            Files.delete(Path.of(secret));
        }
        // Asked with the option that it refuses, then without; two workers, twice.
        assertThat(started()).hasSize(6).filteredOn("report"::equals).hasSize(2);
    }

    @Test
    void runtimeInWhichNothingHolds_isRefusedByNameBeforeAnyWorker() throws IOException {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        Path home = home("echo 'knitting-report arch=vax java=25 no-rules no-filter no-native-access'; exit 0");
        assertThatThrownBy(() -> pool(home).sandbox(sandbox()).open())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PLATFORM))
                .hasMessageContaining("READ, WRITE: the Landlock rules do not reach the worker")
                .hasMessageContaining("NO_NETWORK, OTHER_PROCESSES: the seccomp filter")
                .hasMessageContaining("PRIVILEGES: the worker's JVM has no native access");
        assertThat(started()).containsExactly("report");
    }

    @Test
    void runtimeThatDoesNotAnswer_isWaitedForTwoSeconds_andItsWorkersCheckThemselves() throws IOException {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        // The shell waits by itself: it reads what nobody writes.
        Path home = home("if [ \"$last\" = report ]; then kill -STOP $$; fi");
        try (Pool pool = pool(home).sandbox(sandbox()).open()) {
            assertThat(pool.invoke(() -> EscapeTest.twice(21))).isEqualTo(42);
        }
        assertThat(started()).hasSize(3).contains("report");
    }
}

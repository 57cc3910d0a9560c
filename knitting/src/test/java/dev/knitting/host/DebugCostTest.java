package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What debugging costs while it is off, as the compiler's own log tells it: nothing. */
class DebugCostTest {
    @TempDir
    static Path directory;

    private static String compilerLog = "";

    /** Of a worker process that served calls until its loop was compiled by C2. */
    private static synchronized String compilerLog() throws Exception {
        if (compilerLog.isEmpty()) {
            Path log = directory.resolve("compiler.log");
            Path output = directory.resolve("out");
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            HotProgram.class.getName(),
                            "PROCESSES",
                            "20000",
                            log.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(100, TimeUnit.SECONDS);
            process.destroyForcibly();
            assertThat(ended).isTrue();
            assertThat(process.exitValue()).as(Files.readString(output)).isZero();
            compilerLog = Files.readString(log, StandardCharsets.ISO_8859_1);
        }
        return compilerLog;
    }

    /** The log of the optimising compiler's work on a method of the loop into which it inlined the hook. */
    private static String hotMethodWith(String hook) throws Exception {
        return Pattern.compile(
                        "<task compile_id='\\d+' method='dev\\.knitting\\.worker\\.WorkerLoop (?:serve|run) "
                                + "(?![^>]*level='[123]')[^>]*>.*?</task>",
                        Pattern.DOTALL)
                .matcher(compilerLog())
                .results()
                .map(MatchResult::group)
                .filter(task -> task.contains("name='" + hook + "'"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("C2 compiled no method of the loop that calls " + hook));
    }

    @ParameterizedTest
    @ValueSource(strings = {"onEntered", "onRun"})
    void hook_off_isInlinedAsTheOnlyMethodAndEmpty(String hook) throws Exception {
        String log = hotMethodWith(hook);
        MatchResult declared = Pattern.compile("<method id='(\\d+)' holder='(\\d+)' name='" + hook + "'[^>]* bytes='1'")
                .matcher(log)
                .results()
                .findFirst()
                .orElseThrow(() -> new AssertionError(hook + " is not in the log"));
        String id = declared.group(1);
        assertThat(log)
                .as("no check of the receiver's class, no call: the compiler relies on there being one implementation")
                .contains(
                        "<dependency type='unique_concrete_method_4' ctxk='" + declared.group(2) + "' x='" + id + "'");
        assertThat(log).containsPattern("<call method='" + id + "'[^>]* inline='1'/>\\s*<inline_success");
        String parsed = Pattern.compile("<parse method='" + id + "'.*?</parse>", Pattern.DOTALL)
                .matcher(log)
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElseThrow(() -> new AssertionError(hook + " was not parsed"));
        assertThat(parsed).as("what is in it").doesNotContain("<call", "<branch", "<uncommon_trap", "<field", "<klass");
    }

    @Test
    void worker_off_compiledNothingThatDebugs() throws Exception {
        assertThat(compilerLog())
                .contains("dev.knitting.worker.WorkerLoop")
                .doesNotContain("TracedWorkerLoop", "WorkerTrace", "knitting.trace", "knitting/trace");
    }
}

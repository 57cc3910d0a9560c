package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Debug;
import dev.knitting.Isolation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each debug namespace prints, in a program of its own. */
class DebugTest {
    private static final Pattern LINE = Pattern.compile(
            "\\[(host|imports|lifecycle|signals|steal|globals)\\.(dbg|dbg-[01])\\.\\+(\\d+)\\.(\\d{3})ms] (.*)");

    private record Line(String namespace, String source, long micros, String text) {}

    @TempDir
    Path directory;

    private String output = "";
    private String errors = "";

    private List<Line> run(@Nullable String variable, String... arguments) throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                DebugProgram.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().remove(Debug.VARIABLE);
        if (variable != null) {
            builder.environment().put(Debug.VARIABLE, variable);
        }
        Process process = builder.start();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        output = Files.readString(out, StandardCharsets.UTF_8);
        errors = Files.readString(err, StandardCharsets.UTF_8);
        assertThat(ended).as("%s%n%s", output, errors).isTrue();
        assertThat(process.exitValue()).as("%s%n%s", output, errors).isZero();
        return lines();
    }

    private List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        errors.lines().forEach(text -> {
            Matcher line = LINE.matcher(text);
            if (line.matches()) {
                long micros = Long.parseLong(line.group(3)) * 1_000 + Long.parseLong(line.group(4));
                lines.add(new Line(line.group(1), line.group(2), micros, line.group(5)));
            }
        });
        return lines;
    }

    private static List<String> texts(List<Line> lines, String namespace, String source) {
        return lines.stream()
                .filter(line ->
                        line.namespace().equals(namespace) && line.source().equals(source))
                .map(Line::text)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void nothing_off_printsNothing(Isolation isolation) throws Exception {
        run(null, isolation.name(), "calls");
        assertThat(errors).isEmpty();
        assertThat(output).contains("42");
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void host_on_namesCallerDispatcherLanesAndEachTaskAndNothingElse(Isolation isolation) throws Exception {
        List<Line> lines = run(null, isolation.name(), "calls", "HOST");
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.namespace()).isEqualTo("host");
            assertThat(line.source()).isEqualTo("dbg");
        });
        assertThat(errors.lines()).as("no other line, of no worker").hasSameSizeAs(lines);
        assertThat(texts(lines, "host", "dbg"))
                .anyMatch(text -> text.startsWith("opened by dev.knitting.host.DebugProgram.main(")
                        && text.endsWith("directory=" + System.getProperty("user.dir")))
                .anyMatch(text -> text.contains("isolation=" + isolation)
                        && text.contains("dispatcher=private-lanes, lanes=1, slots=64"))
                .anyMatch(text -> text.startsWith("memory=INHERITED") && text.contains("doorbells=FUTEX"))
                .anyMatch(text -> text.equals("task=0, target=dev.knitting.host.ContractTasks::inc(J)J"))
                .anyMatch(text -> text.startsWith("task=1, target=dev.knitting.host.ContractTasks::fail("))
                .anyMatch(text -> text.startsWith("open: took="));
    }

    @Test
    void host_processes_showsFlagsAndHidesValuesOfProperties() throws Exception {
        List<Line> lines = run(null, "PROCESSES", "calls", "HOST");
        assertThat(texts(lines, "host", "dbg"))
                .anyMatch(text -> text.startsWith("java=/"))
                .anyMatch(text -> text.startsWith("arguments=") && text.contains("-Xmx64m, -D"));
        assertThat(errors).contains("-Dpass.word").doesNotContain("hidden-value");
    }

    @Test
    void variable_andOption_addUp() throws Exception {
        List<Line> lines = run(" Lifecycle,signals", "PROCESSES", "calls", "IMPORTS");
        assertThat(lines).extracting(Line::namespace).containsOnly("lifecycle", "signals", "imports");
    }

    @Test
    void variable_all_printsEveryNamespace() throws Exception {
        List<Line> lines = run("all", "PROCESSES", "calls");
        assertThat(lines)
                .extracting(Line::namespace)
                .containsOnly("host", "lifecycle", "signals", "imports", "globals");
    }

    @Test
    void variable_unknownName_isRefusedListingTheValidOnes() throws Exception {
        run("host,nonsense", "THREADS", "bad");
        assertThat(output)
                .isEqualToIgnoringNewLines("BAD_OPTION: unknown debug namespace: variable=KNITTING_DEBUG,"
                        + " value=nonsense, valid=[host, imports, lifecycle, signals, steal, globals] or all");
    }

    /** Each ticket is claimed by one worker; what one did not claim is what it calls its peers'. */
    @ParameterizedTest
    @EnumSource(Isolation.class)
    void steal_on_tellsEachClaimOfEachWorker(Isolation isolation) throws Exception {
        List<Line> lines = run("steal", isolation.name(), "steal");
        Pattern claim = Pattern.compile("claim: ticket=(\\d+), slot=(\\d+), peers=(\\d+), lost=\\d+");
        Set<Long> tickets = new TreeSet<>();
        Map<String, Long> heads = new HashMap<>();
        assertThat(lines).hasSize(DebugProgram.STOLEN_CALLS);
        for (Line line : lines) {
            Matcher told = claim.matcher(line.text());
            assertThat(told.matches()).as(line.text()).isTrue();
            long ticket = Long.parseLong(told.group(1));
            assertThat(tickets.add(ticket)).as("claimed once").isTrue();
            assertThat(Long.parseLong(told.group(2))).isEqualTo(ticket % 64);
            Long head = heads.put(line.source(), ticket + 1);
            assertThat(Long.parseLong(told.group(3))).isEqualTo(head == null ? 0 : ticket - head);
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void signals_on_tellEachClaimRunResultAndIdle(Isolation isolation) throws Exception {
        List<Line> lines = run("signals", isolation.name(), "calls");
        String inc = "dev.knitting.host.ContractTasks::inc(J)J";
        String fail = "dev.knitting.host.ContractTasks::fail(Ljava/lang/String;)Ljava/lang/String;";
        List<String> texts = new ArrayList<>(texts(lines, "signals", "dbg-0"));
        assertThat(texts).hasSameSizeAs(lines);
        // Whether the worker waits between two calls is a matter of speed.
        assertThat(texts).contains("idle");
        texts.removeIf("idle"::equals);
        assertThat(texts)
                .containsExactly(
                        "claim: call=0, task=" + inc,
                        "run: call=0",
                        "result: call=0, failed=false",
                        "claim: call=1, task=" + fail,
                        "run: call=1",
                        "result: call=1, failed=true");
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void imports_on_tellWhereATaskComesFrom(Isolation isolation) throws Exception {
        List<Line> lines = run("imports", isolation.name(), "calls");
        String target = "task=0, target=dev.knitting.host.ContractTasks::inc(J)J, from=";
        String tests = DebugTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        if (isolation == Isolation.PROCESSES) {
            assertThat(texts(lines, "imports", "dbg-0")).anyMatch(text -> text.startsWith(target + tests));
        } else {
            assertThat(texts(lines, "imports", "dbg")).contains(target + "the host's own classes");
        }
    }

    @Test
    void lifecycle_workerDies_tellsItsEndAndItsReplacement() throws Exception {
        List<Line> lines = run("lifecycle", "PROCESSES", "death");
        List<String> host = texts(lines, "lifecycle", "dbg");
        assertThat(host)
                .contains("worker=0, incarnation=1 starting", "worker=0, incarnation=2 starting")
                .anyMatch(text -> text.startsWith("worker=0, incarnation=1 started: pid="))
                .anyMatch(text -> text.startsWith("worker=0, incarnation=1 ended: reason=EXITED, ")
                        && text.contains("exitCode=7"))
                .anyMatch(text -> text.startsWith("worker=0, incarnation=2 ready: took="))
                .anyMatch(text -> text.startsWith("worker=0, incarnation=2 ended: reason=CLOSED, "))
                .contains("closing: all calls are settled");
        assertThat(texts(lines, "lifecycle", "dbg-0"))
                .filteredOn(text -> text.startsWith("attached: pid="))
                .hasSize(2);
        assertThat(texts(lines, "lifecycle", "dbg-0")).contains("stop word seen");
    }

    /** Lines of host and worker are apart by what lies between them, so they share a clock and an epoch. */
    @Test
    void epoch_hostAndWorker_isTheSame() throws Exception {
        List<Line> lines = run("lifecycle", "PROCESSES", "calls");
        long starting = micros(lines, "dbg", "worker=0, incarnation=1 starting");
        long attached = micros(lines, "dbg-0", "attached: ");
        long closing = micros(lines, "dbg", "closing: ");
        long stop = micros(lines, "dbg-0", "stop word seen");
        long ended = micros(lines, "dbg", "worker=0, incarnation=1 ended");
        assertThat(List.of(starting, attached, closing, stop, ended)).isSorted();
        assertThat(ended).as("counted from the opening").isLessThan(TimeUnit.SECONDS.toMicros(60));
    }

    private static long micros(List<Line> lines, String source, String start) {
        return lines.stream()
                .filter(line -> line.source().equals(source) && line.text().startsWith(start))
                .mapToLong(Line::micros)
                .findFirst()
                .orElseThrow(() -> new AssertionError(start + " is not in " + lines));
    }

    @Test
    void globals_taskChangesThem_namesThemWithoutValues() throws Exception {
        List<Line> lines = run("globals", "PROCESSES", "globals");
        List<String> texts = texts(lines, "globals", "dbg-0");
        assertThat(texts).hasSize(2);
        assertThat(texts.get(0)).startsWith("phase=tasks");
        assertThat(texts.get(1))
                .startsWith("phase=calls")
                .contains("+property test.secret", "+thread left-by-a-task", "~defaultLocale ");
        assertThat(texts.get(1)).contains("-> ja_JP").doesNotContain("top-secret");
    }

    @Test
    void taskOutput_looksLikeADebugLine_goesToTheLogAsEver() throws Exception {
        run("globals", "PROCESSES", "globals");
        assertThat(errors.lines()).contains("INFO: [dbg-0] [signals.mine.+1.000ms] printed by a task");
    }
}

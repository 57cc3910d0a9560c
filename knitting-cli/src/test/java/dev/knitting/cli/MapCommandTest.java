package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code map} writes and how it ends, with a pool that runs the tasks in this JVM. */
final class MapCommandTest {
    private static final String TASKS = Tasks.class.getName();

    @TempDir
    Path folder;

    @Test
    void map_severalFiles_writesOneLineEachInOrder() throws IOException {
        CommandRun run = map("name", file("c"), file("a"), file("b"));
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines()).extracting("result").containsExactly("c", "a", "b");
        assertThat(run.lines()).allSatisfy(line -> {
            assertThat(line).containsOnlyKeys("input", "ok", "result", "millis").containsEntry("ok", true);
            assertThat(((Number) line.get("millis")).doubleValue()).isGreaterThanOrEqualTo(0);
        });
        assertThat(run.err()).startsWith("map: 3 inputs, 3 ok, 0 failed, ");
    }

    @Test
    void map_firstIsSlowest_keepsTheOrderOfTheInputs() throws IOException {
        CommandRun run = map("firstIsSlow", file("a"), file("b"));
        assertThat(run.lines()).extracting("result").containsExactly("a", "b");
    }

    @Test
    void map_oneTaskThrows_theOthersSucceed() throws IOException {
        String b = file("b");
        CommandRun run = map("failsOnB", file("a"), b, file("c"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines()).extracting("ok").containsExactly(true, false, true);
        assertThat(run.lines().get(1))
                .containsOnly(
                        entry("input", b),
                        entry("ok", false),
                        entry(
                                "error",
                                Map.of(
                                        "code",
                                        "TASK_FAILED",
                                        "message",
                                        "java.lang.IllegalStateException: b is not welcome")));
        assertThat(run.err()).startsWith("map: 3 inputs, 2 ok, 1 failed, ");
    }

    @Test
    void map_missingFile_isAFailedLine() throws IOException {
        CommandRun run = map("name", folder.resolve("missing").toString(), file("a"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(errorCode(run, 0)).isEqualTo("INPUT_NOT_FOUND");
        assertThat(run.lines().get(1)).containsEntry("result", "a");
    }

    @Test
    void map_bytes_handsOverTheContent() throws IOException {
        CommandRun run = map("length", file("a", "12345"), file("empty", ""));
        assertThat(run.lines()).extracting("result").containsExactly(5, 0);
    }

    @Test
    void map_text_decodesUtf8AndRefusesWhatIsNot() throws IOException {
        Path broken = Files.write(folder.resolve("broken"), new byte[] {'a', (byte) 0xff});
        CommandRun run = map("upper", file("a", "grün"), broken.toString());
        assertThat(run.lines().get(0)).containsEntry("result", "GRÜN");
        assertThat(errorCode(run, 1)).isEqualTo("INPUT_NOT_UTF8");
    }

    @Test
    void map_folderAsContent_isAFailedLine() {
        assertThat(errorCode(map("length", folder.toString()), 0)).isEqualTo("INPUT_NOT_A_FILE");
    }

    @Test
    void map_largerThanTheCap_isAFailedLineNamingTheLimit() throws IOException {
        Path large = folder.resolve("large");
        try (var file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength((64L << 20) + 1);
        }
        CommandRun run = map("length", large.toString());
        assertThat(errorCode(run, 0)).isEqualTo("PAYLOAD_TOO_LARGE");
        assertThat(run.out()).contains("limit=67108864");
    }

    @Test
    void map_everyKindOfResult_becomesJson() throws IOException {
        Stream<String> names = Stream.of("record", "list", "map", "nothing", "nan", "surrogate", "path", "duration");
        CommandRun run = map("kinds", names.map(this::file).toArray(String[]::new));
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines())
                .extracting("result")
                .containsExactly(
                        mapWithNull(Base64.getEncoder().encodeToString(new byte[] {1, 2, (byte) 0xff})),
                        Arrays.asList(1, "two", null, 3.5, true),
                        Map.of("key", List.of("value")),
                        null,
                        "NaN",
                        "half \uD83E of a pair, and a whole \uD83E\uDDF6",
                        Path.of("a", "b").toString(),
                        "PT1.5S");
    }

    @Test
    void map_resultWithoutJsonForm_isAFailedLine() throws IOException {
        CommandRun run = map("kinds", file("thread"), file("list"));
        assertThat(errorCode(run, 0)).isEqualTo("RESULT_NOT_JSON");
        assertThat(run.lines().get(1)).containsEntry("ok", true);
    }

    @Test
    void map_standardInput_takesNamesLineByLine() throws IOException {
        String names = file("a") + "\n\n" + file("b") + "\r\n";
        CommandRun run = CommandRun.of(
                CountingPool.of(2),
                new ByteArrayInputStream(names.getBytes(StandardCharsets.UTF_8)),
                "map",
                "--stdin",
                "--task",
                TASKS + "::name");
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines()).extracting("result").containsExactly("a", "b");
    }

    @Test
    void map_standardInputWithoutFiles_isReadWithoutAnOption() throws IOException {
        assertThat(mapLines("name", file("a") + "\n").lines())
                .extracting("result")
                .containsExactly("a");
        assertThat(mapLines("name", file("a") + "\n", "-").lines())
                .extracting("result")
                .containsExactly("a");
    }

    @Test
    void map_linesForATaskThatTakesText_areTheArguments() {
        CommandRun run = mapLines("upper", "grün\r\n\nlast line without a break");
        assertThat(run.exitCode()).isZero();
        assertThat(run.lines()).extracting("input").containsExactly("grün", "last line without a break");
        assertThat(run.lines()).extracting("result").containsExactly("GRÜN", "LAST LINE WITHOUT A BREAK");
    }

    @Test
    void map_linesForATaskThatTakesBytes_areNamesOfFiles() throws IOException {
        assertThat(mapLines("length", file("a", "12345") + "\n").lines())
                .extracting("result")
                .containsExactly(5);
    }

    @Test
    void map_filesFrom_readsNamesAlsoForATaskThatTakesText() throws IOException {
        String list = file("list", file("a", "one") + "\n" + file("b", "two"));
        assertThat(map("upper", "--files-from", list).lines())
                .extracting("result")
                .containsExactly("ONE", "TWO");
        assertThat(mapLines("upper", file("c", "three") + "\n", "--files-from", "-")
                        .lines())
                .extracting("result")
                .containsExactly("THREE");
    }

    @Test
    void map_contradictingInputs_areWrongUsage() throws IOException {
        String a = file("a");
        assertThat(map("name", "--files-from", a, a).exitCode()).isEqualTo(2);
        assertThat(map("name", "--files-from", a, "--stdin").exitCode()).isEqualTo(2);
        assertThat(map("name", a, "-").exitCode()).isEqualTo(2);
        assertThat(map("name", "--files-from", folder.resolve("missing").toString())
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void map_failFast_endsAtTheFirstFailure() throws IOException {
        String names = (file("a") + "\n").repeat(500) + file("b") + "\n" + (file("a") + "\n").repeat(500_000);
        CommandRun run = mapLines("failsOnB", names, "--fail-fast");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines()).hasSizeBetween(501, 20_000);
        assertThat(run.lines().subList(0, 500)).extracting("ok").containsOnly(true);
        assertThat(errorCode(run, 500)).isEqualTo("TASK_FAILED");
        assertThat(run.err()).contains("ended at the first failure after ");
    }

    @Test
    void map_failFast_cancelsWhatRuns() throws IOException {
        // The first input never ends by itself; the missing one fails when it has started, or before.
        CommandRun run = map(
                "blocks", "--fail-fast", file("a"), folder.resolve("missing").toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(errorCode(run, 0)).isEqualTo("CANCELLED");
        assertThat(errorCode(run, 1)).isEqualTo("INPUT_NOT_FOUND");
    }

    @Test
    void map_failures_areCountedByCode() throws IOException {
        CommandRun run =
                map("failsOnB", file("b"), file("b2"), folder.resolve("missing").toString(), file("a"));
        assertThat(run.err().lines().map(line -> line.replaceAll(" +", " ")).toList())
                .element(1)
                .isEqualTo(" failure inputs first");
        assertThat(run.err()).containsPattern("TASK_FAILED +2  .*/b\n").containsPattern("INPUT_NOT_FOUND +1  ");
    }

    @Test
    void map_messageOfSeveralLines_becomesOne() throws IOException {
        CommandRun run = map("failsAtLength", file("a"));
        String message = (String) ((Map<?, ?>) run.lines().getFirst().get("error")).get("message");
        assertThat(message)
                .startsWith("java.lang.IllegalStateException: first | second | third | xxx")
                .hasSizeLessThan(2_100);
    }

    @Test
    void map_resultTypeThatCannotCross_isWrongUsage() throws IOException {
        for (String method : List.of("thread", "threads")) {
            CommandRun run = mapCopying(method, file("a"));
            assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
            assertThat(run.err()).contains("type cannot cross: type=java.lang.Thread");
        }
    }

    @Test
    void map_recordsInAList_cross() throws IOException {
        CommandRun run = mapCopying("points", file("a"));
        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(run.out()).contains("\"result\":[{\"y\":1,\"name\":\"n\",\"data\":\"\"}]");
    }

    @Test
    void map_millis_isTheTimeOfTheTaskNotOfItsPlaceInTheQueue() throws IOException {
        String[] files = Stream.generate(() -> file("a")).limit(20).toArray(String[]::new);
        CommandRun run = CommandRun.of(
                CountingPool.of(1),
                Stream.concat(Stream.of("map", "--task", TASKS + "::takes50Millis"), Stream.of(files))
                        .toArray(String[]::new));
        assertThat(run.lines())
                .allSatisfy(line ->
                        assertThat(((Number) line.get("millis")).doubleValue()).isBetween(50.0, 700.0));
    }

    @Test
    void map_standardInputStaysOpen_writesWhatIsThere() throws Exception {
        var names = new PipedInputStream();
        var writer = new PipedOutputStream(names);
        var results = new PipedInputStream();
        var terminal = new Terminal(names, new PipedOutputStream(results), System.err, false, false, false, false);
        var command = new FutureTask<>(() -> Knit.commandLine(terminal, CountingPool.of(1)::open)
                .execute("map", "-q", "--stdin", "--task", TASKS + "::name"));
        Thread.ofPlatform().start(command);
        writer.write((file("a") + "\n").getBytes(StandardCharsets.UTF_8));
        writer.flush();
        // The test's timeout is the verdict: the next name never comes.
        assertThat((char) results.read()).isEqualTo('{');
        writer.close();
        assertThat(command.get()).isZero();
    }

    @Test
    void map_manyNames_staysBoundedAndInOrder() throws IOException {
        int count = 20_000;
        String a = file("a");
        CountingPool pool = CountingPool.of(3);
        CommandRun run = CommandRun.of(
                pool,
                new ByteArrayInputStream((a + "\n").repeat(count).getBytes(StandardCharsets.UTF_8)),
                "map",
                "--stdin",
                "-q",
                "--task",
                TASKS + "::name");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().count()).isEqualTo(count);
        assertThat(pool.mostOpen()).isBetween(2, 3 * MapRunner.IN_FLIGHT_PER_WORKER);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void map_randomDurations_keepTheOrder() throws IOException {
        List<String> files =
                IntStream.range(0, 300).mapToObj(i -> file("f" + i)).toList();
        String[] shuffled =
                new Random(7).ints(2_000, 0, files.size()).mapToObj(files::get).toArray(String[]::new);
        CommandRun run = map("failsOnB", shuffled);
        assertThat(run.lines()).extracting("input").containsExactly((Object[]) shuffled);
    }

    @Test
    void map_noInput_isWrongUsage() {
        CommandRun run = map("name");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("no input: name FILES");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void map_filesAndStandardInput_isWrongUsage() throws IOException {
        assertThat(map("name", "--stdin", file("a")).exitCode()).isEqualTo(2);
    }

    @Test
    void map_optionsOutOfRange_areWrongUsage() throws IOException {
        String a = file("a");
        for (String option : List.of(
                "--workers=0",
                "--workers=257",
                "--max-heap=lots",
                "--nonsense",
                "--workers=x",
                "--timeout=0s",
                "--timeout=soon",
                "--timeout=-PT1S",
                "--retries=-1",
                "--retries=x")) {
            assertThat(map("name", option, a).exitCode()).as(option).isEqualTo(2);
        }
    }

    @Test
    void map_outputIsClosed_endsWithCode3() throws IOException {
        var broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        var err = new ByteArrayOutputStream();
        var terminal =
                new Terminal(InputStream.nullInputStream(), broken, new PrintStream(err), false, false, false, true);
        CountingPool pool = CountingPool.of(1);
        int exitCode = Knit.commandLine(terminal, pool::open).execute("map", "--task", TASKS + "::name", file("a"));
        assertThat(exitCode).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Broken pipe");
        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void map_summaryOnATerminal_isColouredUnlessForbidden() throws IOException {
        assertThat(summaryOnTerminal(true)).contains("\u001b[31m1 failed");
        assertThat(summaryOnTerminal(false)).doesNotContain("\u001b[31m").contains("1 failed");
    }

    @Test
    void map_onATerminal_showsRateAndFailures() throws IOException {
        assertThat(summaryOnTerminal(true))
                .containsPattern("\\b1/1\\b")
                .contains("/s")
                .contains("1 failed");
    }

    private String summaryOnTerminal(boolean colours) throws IOException {
        var err = new ByteArrayOutputStream();
        var terminal = new Terminal(
                InputStream.nullInputStream(),
                new ByteArrayOutputStream(),
                new PrintStream(err),
                false,
                false,
                true,
                colours);
        Knit.commandLine(terminal, CountingPool.of(1)::open).execute("map", "--task", TASKS + "::failsOnB", file("b"));
        return err.toString(StandardCharsets.UTF_8);
    }

    private static CommandRun mapCopying(String method, String argument) {
        return CommandRun.of(CountingPool.copying(1), "map", "--task", TASKS + "::" + method, argument);
    }

    private CommandRun mapLines(String method, String lines, String... arguments) {
        String[] all = Stream.concat(Stream.of("map", "--task", TASKS + "::" + method), Stream.of(arguments))
                .toArray(String[]::new);
        return CommandRun.of(CountingPool.of(2), new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), all);
    }

    private CommandRun map(String method, String... arguments) {
        String[] all = Stream.concat(Stream.of("map", "--task", TASKS + "::" + method), Stream.of(arguments))
                .toArray(String[]::new);
        return CommandRun.of(CountingPool.of(2), all);
    }

    private String file(String name) {
        return file(name, "");
    }

    private String file(String name, String content) {
        try {
            return Files.writeString(folder.resolve(name), content).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object errorCode(CommandRun run, int line) {
        return ((Map<?, ?>) run.lines().get(line).get("error")).get("code");
    }

    private static Map<String, Object> mapWithNull(String data) {
        Map<String, Object> map = new HashMap<>();
        map.put("y", 7);
        map.put("name", null);
        map.put("data", data);
        return map;
    }
}

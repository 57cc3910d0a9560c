package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs: the command in a JVM of its own, with real worker processes, over real files. */
final class EndToEndTest {
    private static final String PDF_TEXT = "dev.knitting.examples.PdfText::extract";
    private static final Path SAMPLES = Path.of("../samples");
    private static final Path DOCUMENTS_OF_OTHERS = Path.of("../../shared/data/pdf");

    @TempDir
    Path folder;

    @Test
    void map_samples_oneLineEachInOrder() throws Exception {
        List<String> files = files(SAMPLES, "");
        CommandRun run = map("--workers", "2", "--task", PDF_TEXT, files);
        assertThat(run.lines()).as(run.err()).extracting("input").isEqualTo(files);
        assertThat(run.exitCode()).isEqualTo(1);
        List<String> failed = run.lines().stream()
                .filter(line -> Boolean.FALSE.equals(line.get("ok")))
                .map(line -> Path.of((String) line.get("input")).getFileName().toString())
                .toList();
        assertThat(failed)
                .containsExactly(
                        "README.md",
                        "encrypted.pdf",
                        "huge.png",
                        "not-a-pdf.pdf",
                        "patterns.txt",
                        "plain.txt",
                        "stitches.png",
                        "tall.jpg",
                        "tiny.gif",
                        "truncated.pdf",
                        "truncated.png",
                        "zero-bytes.pdf");
        assertThat(line(run, "unicode.pdf").get("result")).asString().contains("Русский", "Ελληνικά");
        assertThat((Map<?, ?>) line(run, "encrypted.pdf").get("error"))
                .asString()
                .contains("code=TASK_FAILED", "InvalidPasswordException");
        assertThat(run.err()).contains("map: " + files.size() + " inputs, ");
    }

    @Test
    void map_everyKindOfParameter_worksInWorkers() throws Exception {
        List<String> files = List.of(SAMPLES.resolve("plain.txt").toString());
        assertThat(map("--task", "dev.knitting.examples.Hashes::md5", files)
                        .lines()
                        .getFirst())
                .containsEntry("ok", true)
                .hasEntrySatisfying(
                        "result", digest -> assertThat(digest).asString().hasSize(32));
        assertThat(map("--task", "dev.knitting.examples.Texts::count", files)
                        .lines()
                        .getFirst()
                        .get("result"))
                .isEqualTo(Map.of("lines", 2, "words", 7, "characters", 35));
    }

    @Test
    void map_images_becomeThumbnailsOrFailByName() throws Exception {
        List<String> files = Stream.of("stitches.png", "tall.jpg", "tiny.gif", "truncated.png", "huge.png")
                .map(name -> SAMPLES.resolve(name).toString())
                .toList();
        CommandRun run = map("--task", "dev.knitting.examples.Thumbnails::png", files);
        assertThat(run.lines()).as(run.err()).extracting("ok").containsExactly(true, true, true, false, false);
        assertThat(run.lines().subList(0, 3))
                .extracting("result")
                .allSatisfy(png ->
                        assertThat(Base64.getDecoder().decode((String) png)).startsWith(0x89, 'P', 'N', 'G'));
    }

    @Test
    void map_workerDies_theOthersSucceed() throws Exception {
        List<String> files = new ArrayList<>();
        for (String name : List.of("a", "die", "b", "c")) {
            files.add(Files.writeString(folder.resolve(name), "").toString());
        }
        CommandRun run = map("--workers", "1", "--task", Tasks.class.getName() + "::diesOnDie", files);
        assertThat(run.lines()).as(run.err()).extracting("input").isEqualTo(files);
        assertThat(run.lines()).extracting("ok").containsExactly(true, false, true, true);
        assertThat(run.out()).contains("\"code\":\"WORKER_EXITED\"");
    }

    /** As Ctrl-C does it: the signal reaches the command and its workers at the same time. */
    @Test
    void map_interruptedFromTheKeyboard_leavesNothingBehind() throws Exception {
        assertNothingIsLeft("-INT", "-", 130);
    }

    @Test
    void map_terminated_leavesNothingBehind() throws Exception {
        assertNothingIsLeft("-TERM", "", 143);
    }

    private void assertNothingIsLeft(String signal, String groupPrefix, int exitCode) throws Exception {
        Path output = Files.createDirectory(folder.resolve("output"));
        // A process group of its own, as a shell gives it to each command. The new session's leader is the JVM itself.
        KnitProcess knit = KnitProcess.start(
                output,
                List.of("setsid"),
                List.of(),
                new File("/dev/null"),
                "map",
                "--sandbox",
                writable().toString(),
                "--workers",
                "2",
                "--task",
                Tasks.class.getName() + "::hangs",
                Files.writeString(folder.resolve("first"), "").toString(),
                Files.writeString(folder.resolve("second"), "").toString());
        awaitFile(folder.resolve("started"), knit);
        List<ProcessHandle> workers = knit.process().descendants().toList();
        assertThat(workers).hasSizeGreaterThanOrEqualTo(2);
        new ProcessBuilder("kill", signal, "--", groupPrefix + knit.process().pid())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(knit.process().waitFor()).as(knit::errors).isEqualTo(exitCode);
        for (ProcessHandle worker : workers) {
            worker.onExit().join();
        }
        try (Stream<Path> left = Files.list(KnitProcess.temporary(output))) {
            // The JDK's own files of performance counters go with each JVM that ends in order.
            assertThat(left.filter(path -> !path.getFileName().toString().startsWith("hsperfdata")))
                    .isEmpty();
        }
        assertThat(Files.readString(knit.out())).isEmpty();
    }

    /** A sandbox in which tasks leave marks beside their inputs. */
    private Path writable() throws IOException {
        return Files.writeString(folder.resolve("sandbox.properties"), "write = .\n");
    }

    private void awaitFile(Path file, KnitProcess knit) throws Exception {
        try (var watch = FileSystems.getDefault().newWatchService()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            while (!Files.exists(file)) {
                assertThat(knit.process().isAlive())
                        .as(() -> "ended early: " + knit.err())
                        .isTrue();
                WatchKey key = watch.poll(1, TimeUnit.SECONDS);
                if (key != null) {
                    key.pollEvents();
                    key.reset();
                }
            }
        }
    }

    /** What 200,000 inputs leave behind would not fit into the heap, if anything did. */
    @Test
    void map_manyLinesInASmallHeap_memoryStaysFlat() throws Exception {
        int count = 200_000;
        Path lines = folder.resolve("lines");
        try (BufferedWriter writer = Files.newBufferedWriter(lines)) {
            for (int i = 0; i < count; i++) {
                writer.write("this is input number " + i + "\n");
            }
        }
        KnitProcess knit = KnitProcess.start(
                folder,
                List.of(),
                List.of("-Xmx24m"),
                lines.toFile(),
                "map",
                "--workers",
                "1",
                "--max-heap",
                "24m",
                "--task",
                "dev.knitting.examples.Hashes::sha256Text");
        assertThat(knit.process().waitFor()).as(knit::errors).isZero();
        try (Stream<String> results = Files.lines(knit.out())) {
            assertThat(results.filter(line -> line.contains("\"ok\":true")).count())
                    .isEqualTo(count);
        }
    }

    /** What strangers' documents do to a program, all in one folder: each has its line, and the good ones their result. */
    @Test
    void map_hostileFolder_eachFileHasItsLineWithTheTrueReason() throws Exception {
        List<String> names = List.of(
                "00-good",
                "01-loop",
                "02-heap",
                "03-good",
                "04-halt",
                "05-exit",
                "06-crash",
                "07-good",
                "08-print",
                "09-loop",
                "10-throw",
                "11-good");
        List<String> files = new ArrayList<>();
        for (String name : names) {
            files.add(Files.writeString(folder.resolve(name), "").toString());
        }
        long start = System.nanoTime();
        CommandRun run = map(
                List.of(
                        "--workers",
                        "2",
                        "--timeout",
                        "5s",
                        "--max-heap",
                        "64m",
                        "--task",
                        HostileTasks.class.getName() + "::run"),
                files);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.lines()).extracting("input").isEqualTo(files);
        Map<String, String> codes = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            Map<?, ?> error = (Map<?, ?>) run.lines().get(i).get("error");
            codes.put(names.get(i), error == null ? "ok" : error.get("code") + ": " + error.get("message"));
        }
        assertThat(codes)
                .allSatisfy((name, outcome) -> assertThat(outcome)
                        .as(name)
                        .startsWith(
                                switch (name.substring(3)) {
                                    case "good" -> "ok";
                                    case "loop" -> "HARD_TIMEOUT: ";
                                    // Caught by the worker, or the end of its JVM.
                                    case "heap" ->
                                        outcome.startsWith("OUT_OF_MEMORY: ")
                                                ? "OUT_OF_MEMORY: "
                                                : "TASK_FAILED: java.lang.OutOfMemoryError: Java heap space";
                                    case "halt" -> "WORKER_EXITED: ";
                                    case "exit" -> "WORKER_EXITED: ";
                                    case "crash" -> "WORKER_CRASHED: ";
                                    default -> "TASK_FAILED: java.io.IOException: ";
                                }));
        assertThat(codes.get("06-crash")).contains("SIGSEGV");
        assertThat(codes.get("08-print")).endsWith("printed enough");
        // Two loops of five seconds each; the rest is the starts of seven workers on a machine that has other work.
        assertThat(took).isLessThan(Duration.ofSeconds(60));
    }

    @Test
    void map_classPathOfItsOwn_seesNothingOfTheCommand() throws Exception {
        Path sources = Files.createDirectory(folder.resolve("sources"));
        Path file = Files.writeString(sources.resolve("Foreign.java"), """
            import java.nio.file.Path;
            public class Foreign {
                static String run(Path file) {
                    try {
                        return "sees " + Class.forName("dev.knitting.cli.Knit");
                    } catch (ClassNotFoundException e) {
                        return "worker " + dev.knitting.TaskContext.current().workerId();
                    }
                }
            }
            """);
        int status = javax.tools.ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", sources.toString(), file.toString());
        assertThat(status).isZero();
        CommandRun run = map(
                List.of("--workers", "1", "--cp", sources.toString(), "--task", "Foreign::run"),
                List.of(file.toString()));
        assertThat(run.lines()).as(run.err()).extracting("result").containsExactly("worker 0");
    }

    @Test
    void map_endlessExpression_isStoppedByTheTimeout() throws Exception {
        KnitProcess knit = KnitProcess.start(
                folder,
                List.of(),
                List.of(),
                SAMPLES.resolve("patterns.txt").toFile(),
                "map",
                "--workers",
                "2",
                "--timeout",
                "5s",
                "--task",
                "dev.knitting.examples.Patterns::find");
        CommandRun run = knit.join();
        assertThat(run.lines())
                .as(run.err())
                .extracting("ok")
                .containsExactly(true, true, true, false, false, false, true);
        assertThat((Map<?, ?>) run.lines().get(3).get("error")).asString().contains("code=HARD_TIMEOUT");
        assertThat((Map<?, ?>) run.lines().get(4).get("error")).asString().contains("PatternSyntaxException");
    }

    @Test
    void map_retries_runsAgainWhatCrashedOnly() throws Exception {
        List<String> files = List.of(
                Files.writeString(folder.resolve("a-halt-once"), "").toString(),
                Files.writeString(folder.resolve("b-throw-once"), "").toString());
        String task = HostileTasks.class.getName() + "::run";
        CommandRun run = map(
                List.of("--sandbox", writable().toString(), "--workers", "1", "--retries", "1", "--task", task), files);
        assertThat(run.lines()).as(run.err()).extracting("ok").containsExactly(true, false);
    }

    @Test
    void map_documentsOfOthers_oneLineEachInOrder() throws Exception {
        assumeThat(DOCUMENTS_OF_OTHERS).isDirectory();
        List<String> files = files(DOCUMENTS_OF_OTHERS, ".pdf");
        CommandRun run = map("--workers", "2", "--task", PDF_TEXT, files);
        assertThat(run.lines()).as(run.err()).extracting("input").isEqualTo(files);
        assertThat(run.lines())
                .filteredOn("ok", false)
                .extracting("input")
                .singleElement()
                .asString()
                .endsWith("libreoffice-writer-password.pdf");
    }

    @Test
    void demo_always_showsTheSameResultsTwice() throws Exception {
        CommandRun run = KnitProcess.start(folder, "demo").join();
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsPattern("square\\(2\\)\\) +4 +4")
                .containsPattern("hello knitting +hello knitting");
    }

    private CommandRun map(String option, String value, List<String> files) throws Exception {
        return map(List.of(option, value), files);
    }

    private CommandRun map(String option, String value, String option2, String value2, List<String> files)
            throws Exception {
        return map(List.of(option, value, option2, value2), files);
    }

    private CommandRun map(List<String> options, List<String> files) throws Exception {
        String[] all =
                Stream.of(List.of("map"), options, files).flatMap(List::stream).toArray(String[]::new);
        return KnitProcess.start(folder, all).join();
    }

    private static Map<String, Object> line(CommandRun run, String name) {
        return run.lines().stream()
                .filter(line -> ((String) line.get("input")).endsWith("/" + name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<String> names = files.map(Path::toString)
                    .filter(name -> name.endsWith(suffix))
                    .sorted()
                    .toList();
            assertThat(names).isNotEmpty();
            return names;
        }
    }
}

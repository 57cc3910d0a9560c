package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerCommandTest {
    @TempDir
    Path directory;

    private static PoolBuilder builder() {
        return Pool.processes().workers(1);
    }

    private static WorkerCommand command(PoolBuilder builder) {
        return WorkerCommand.of(builder.options(), true);
    }

    private static List<String> words(WorkerCommand command) throws IOException {
        return ArgumentFile.read(Files.readString(command.directory().resolve("worker.args")));
    }

    private static void refuses(PoolBuilder builder, String... parts) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> command(builder))
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION);
                    assertThat(e).hasMessageContainingAll(parts);
                });
    }

    @Test
    void line_default_isPrefixJavaFileIndexMainAndArguments() {
        try (WorkerCommand command = command(builder().commandPrefix("nice", "-n", "1"))) {
            WorkerCommand.Line line = command.line(5, List.of("a", "b c"));

            assertThat(line.words())
                    .containsExactly(
                            "nice",
                            "-n",
                            "1",
                            command.java().toString(),
                            "@" + command.directory().resolve("worker.args"),
                            "-Dknitting.worker=5",
                            "-XX:ErrorFile=" + line.errorFile(),
                            "-jar",
                            command.directory().resolve("worker.jar").toString(),
                            "a",
                            "b c");
            assertThat(command.line(5, List.of()).errorFile()).isNotEqualTo(line.errorFile());
        }
    }

    @Test
    void line_userNamesModules_isStartedByClassPathAndFlag() throws IOException {
        try (WorkerCommand command = command(builder().jvm(j -> j.options("--add-modules", "java.sql")))) {
            assertThat(command.line(0, List.of("a")).words()).endsWith("dev.knitting.worker.WorkerMain", "a");
            assertThat(words(command)).contains("-cp", "--enable-native-access=ALL-UNNAMED");
        }
    }

    @Test
    void of_files_areForThisUserOnlyAndGoWithTheCommand() throws IOException {
        WorkerCommand command = command(builder());
        Path file = command.directory().resolve("worker.args");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(command.directory())))
                .isEqualTo("rwx------");
        Files.writeString(command.directory().resolve("hs_err_1.log"), "x");
        command.close();

        assertThat(command.directory()).doesNotExist();
    }

    @Test
    void line_filesTidiedAway_areWrittenAgain() throws IOException {
        try (WorkerCommand command = command(builder())) {
            Path file = command.directory().resolve("worker.args");
            Path jar = command.directory().resolve("worker.jar");
            String content = Files.readString(file);
            Files.delete(file);
            Files.delete(jar);
            Files.delete(command.directory().resolve("owner"));
            Files.delete(command.directory());

            assertThat(command.line(0, List.of()).words()).contains("@" + file);

            assertThat(file).hasContent(content);
            assertThat(jar).isNotEmptyFile();
        }
    }

    @Test
    void of_addedClassPathMissing_namesEntryAndOption() {
        Path missing = directory.resolve("no.jar");

        refuses(builder().addClassPath(directory, missing), "option=addClassPath", "missing=" + missing);
    }

    @Test
    void of_wordThatIsNoOption_isRefused() {
        refuses(builder().jvm(j -> j.options("-Xss1m", "Xmx1g")), "option=jvm.options", "value=Xmx1g");
        refuses(builder().jvm(j -> j.options("-jar")), "value=-jar");
    }

    @Test
    void of_optionWithSeparateValue_isAccepted() throws IOException {
        try (WorkerCommand command = command(builder().jvm(j -> j.options("--add-modules", "java.sql")))) {
            assertThat(words(command)).endsWith("--add-modules", "java.sql");
        }
    }

    @Test
    void of_unwritableValue_isRefused() {
        refuses(builder().jvm(j -> j.options("-Da=\0")), "word=-Da=");
        refuses(builder().jvm(j -> j.systemProperty("a", "\uD800")), "charset=UTF-8");
    }

    @Test
    void of_userOptions_comeLast() throws IOException {
        try (WorkerCommand command =
                command(builder().jvm(j -> j.options("-Dfile.encoding=COMPAT").systemProperty("a", "1")))) {
            assertThat(words(command)).endsWith("-Da=1", "-Dfile.encoding=COMPAT");
        }
    }

    @Test
    void of_userChoosesCollectorOrHeap_oursIsLeftOut() throws IOException {
        try (WorkerCommand command =
                command(builder().jvm(j -> j.options("-XX:+UseParallelGC", "-XX:MaxRAMPercentage=10")))) {
            assertThat(words(command)).doesNotContain("-XX:+UseSerialGC").noneMatch(word -> word.startsWith("-Xmx"));
        }
    }

    @Test
    void of_maxHeapOption_isTaken() throws IOException {
        try (WorkerCommand command = command(builder().jvm(j -> j.maxHeap("77m")))) {
            assertThat(words(command)).contains("-Xmx77m");
        }
    }

    @Test
    void maxHeapOption_byWorkers_isHalfTheMemoryButAtLeast64m() {
        long half = MachineMemory.totalBytes() / 2;

        assertThat(MachineMemory.maxHeapOption(1)).isEqualTo("-Xmx" + (half >> 20) + "m");
        assertThat(MachineMemory.maxHeapOption(2)).isEqualTo("-Xmx" + ((half / 2) >> 20) + "m");
        assertThat(MachineMemory.maxHeapOption(1 << 24)).isEqualTo("-Xmx64m");
    }

    @Test
    void of_relativeClassPathOfTheHost_becomesAbsolute() throws IOException {
        try (WorkerCommand command = command(builder().addClassPath(Path.of("src")))) {
            String property = "-D" + WorkerCommand.CLASS_PATH_PROPERTY + "=";
            String classPath = words(command).stream()
                    .filter(word -> word.startsWith(property))
                    .map(word -> word.substring(property.length()))
                    .findFirst()
                    .orElseThrow();

            assertThat(classPath.split(":"))
                    .allSatisfy(entry -> assertThat(Path.of(entry)).isAbsolute());
            assertThat(classPath).endsWith(":" + Path.of("src").toAbsolutePath());
        }
    }

    @Test
    void fixEnvironment_jvmVariables_areRemovedUnlessAdded() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "JAVA_TOOL_OPTIONS",
                "-Dx",
                "JDK_JAVA_OPTIONS",
                "-Dy",
                "_JAVA_OPTIONS",
                "-Dz",
                "KEPT",
                "1",
                "CHANGED",
                "1"));

        HostSettings.fixEnvironment(environment, Map.of("CHANGED", "2", "JDK_JAVA_OPTIONS", "-Dmine"));

        assertThat(environment)
                .containsEntry("KEPT", "1")
                .containsEntry("CHANGED", "2")
                .containsEntry("JDK_JAVA_OPTIONS", "-Dmine")
                .doesNotContainKeys("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");
    }
}

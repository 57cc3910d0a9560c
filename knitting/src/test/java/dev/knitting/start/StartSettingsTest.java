package dev.knitting.start;

import static dev.knitting.start.Application.MAIN;
import static dev.knitting.start.Application.NATIVE;
import static dev.knitting.start.Application.assertServed;
import static dev.knitting.start.Application.library;
import static dev.knitting.start.Application.path;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker takes over from its host and what not: flags, agents, environment, settings, output. */
class StartSettingsTest {
    @TempDir
    static Path home;

    private static Path classes;

    @TempDir
    Path directory;

    @BeforeAll
    static void compile() throws IOException {
        classes = Application.compile(home.resolve("classes"), "", "App.java");
    }

    private static ProcessBuilder host(List<String> jvm, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Application.java().toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", NATIVE));
        command.addAll(jvm);
        command.addAll(List.of("-cp", path(classes, library()), MAIN));
        command.addAll(List.of(arguments));
        return Application.builder(command);
    }

    @Test
    void defaults_areThoseOfTheTable() throws Exception {
        ProcessBuilder host = host(List.of("-Dapp.property=of the host", "-Duser.language=it", "-Duser.region=CH"));
        host.directory(directory.toFile());

        String output = Application.run(host);

        assertServed(output);
        assertThat(output)
                .contains("stdin=-1\n", "counter=1\n", "app.property=null\n", "assertions=false\n", "ADDED=yes\n")
                .contains("locale=it_CH\n", "charset=UTF-8\n", "user.dir=" + directory.toRealPath() + "\n");
        // The host's logging prints the logger's lines on its standard error.
        assertThat(output).contains("[app-0] printed by the worker", "[app-0] an error line of the worker");
        long memoryMib = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemTotal:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                .sum();
        long heapMib = Long.parseLong(output.replaceAll("(?s).*\nheap=(\\d+)\n.*", "$1"));
        // Half of it, or of what the control group allows; a JVM counts a bit less than it reserves.
        assertThat(heapMib).isBetween(60L, memoryMib / 2);
    }

    @Test
    void settingsChangedByTheProgram_areTakenAsTheyAreAtOpen() throws Exception {
        assertThat(Application.run(host(List.of("-Dfile.encoding=COMPAT"), "--change", "--property")))
                .contains("locale=de_AT\n", "format=fr_CA\n", "zone=Asia/Tokyo\n")
                .contains("app.property=from the pool\n")
                .containsPattern("\nheap=(9[0-9]|100)\n");
    }

    @Test
    void emptyEnvironment_fileWithAnAccentAsPath_isFound() throws Exception {
        Files.createFile(directory.resolve("é.pdf"));
        // The host's own JVM has no name for this file: it gets the path from the folder.
        ProcessBuilder host = host(List.of(), directory.toString());
        host.environment().clear();

        String output = Application.run(host);

        assertServed(output);
        assertThat(output).contains("exists=true same=true name=true\n", "JAVA_TOOL_OPTIONS=null\n", "ADDED=yes\n");
    }

    @Test
    void jvmVariables_areRemoved_whatTheySayForModulesIsKept() throws Exception {
        ProcessBuilder host = host(List.of());
        host.environment().put("JAVA_TOOL_OPTIONS", "-Dapp.property=tool --add-opens=java.base/java.lang=ALL-UNNAMED");
        host.environment().put("JDK_JAVA_OPTIONS", "-Xss2m -ea");

        String output = Application.run(host);

        assertServed(output);
        assertThat(output)
                .contains("JAVA_TOOL_OPTIONS=null\n", "JDK_JAVA_OPTIONS=null\n", "app.property=null\n")
                .contains("opened=true\n", "assertions=true\n")
                .doesNotContain("word=-Xss2m\n");
    }

    @Test
    void hostFlags_modulesAssertionsPreviewAndEncodings_areCopied_therestIsNot() throws Exception {
        String output = Application.run(host(List.of(
                "--enable-preview",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-ea",
                "-Dfile.encoding=ISO-8859-1",
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0",
                "-Dcom.sun.management.jmxremote.port=0",
                "-Dcom.sun.management.jmxremote.authenticate=false",
                "-Dcom.sun.management.jmxremote.ssl=false",
                "-XX:+HeapDumpOnOutOfMemoryError",
                "-XX:HeapDumpPath=" + directory,
                "-Xlog:gc:file=" + directory.resolve("gc.log"),
                "-Xmx200m")));

        assertServed(output);
        assertThat(output)
                .contains("word=--enable-preview\n", "opened=true\n", "assertions=true\n", "charset=ISO-8859-1\n")
                .contains("com.sun.management.jmxremote.port=null\n")
                .doesNotContain("word=-agentlib", "word=-XX:+HeapDump", "word=-Xlog", "word=-Xmx200m");
    }

    private String agent() throws IOException {
        Path agent = Application.compile(directory.resolve("agent"), "", "Agent.java");
        return Application.jar(
                        directory.resolve("agent.jar"), Map.of("Premain-Class", "agent.Agent"), Map.of("", agent))
                .toString();
    }

    @Test
    void agentOfTheHost_isNotCopied_unlessAskedFor() throws Exception {
        List<String> jvm = List.of(
                "-javaagent:" + agent() + "=x",
                "-agentlib:jdwp=transport=dt_socket,server=y," + "suspend=n,address=127.0.0.1:0");

        assertThat(Application.run(host(jvm))).contains("task=9\n", "agent.loaded=null\n");
        assertThat(Application.run(host(jvm, "--agents")))
                .contains("task=9\n", "agent.loaded=x\n")
                .doesNotContain("word=-agentlib");
    }
}

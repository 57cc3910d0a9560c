package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostArgumentsTest {
    @TempDir
    Path directory;

    private static HostArguments pick(String... words) {
        return HostArguments.pick(JvmArguments.of(List.of(words)));
    }

    @Test
    void pick_optionsThatShapeTheCode_areCopied() {
        assertThat(pick(
                                "-ea",
                                "--enable-preview",
                                "--add-opens",
                                "java.base/java.lang=ALL-UNNAMED",
                                "--add-modules=java.sql",
                                "-Dfile.encoding=COMPAT",
                                "-da:com.acme...")
                        .options())
                .containsExactly(
                        "-ea",
                        "--enable-preview",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-modules=java.sql",
                        "-Dfile.encoding=COMPAT",
                        "-da:com.acme...");
    }

    @Test
    void pick_debuggersAgentsDumpsAndHeaps_areNotCopied() {
        assertThat(pick(
                                "-agentlib:jdwp=transport=dt_socket",
                                "-javaagent:a.jar",
                                "-agentpath:/x.so",
                                "-Xdebug",
                                "-Dcom.sun.management.jmxremote.port=1",
                                "-XX:+HeapDumpOnOutOfMemoryError",
                                "-XX:HeapDumpPath=/x",
                                "-Xlog:gc:file=gc.log",
                                "-XX:ErrorFile=/x",
                                "-XX:StartFlightRecording",
                                "-Xmx4g",
                                "-Xms1g",
                                "-XX:+UseZGC",
                                "-Dmy.secret=1",
                                "-cp",
                                "x.jar",
                                "-Djava.library.path=/x")
                        .options())
                .isEmpty();
    }

    @Test
    void pick_wordsOfTheProgram_areNotOptions() {
        assertThat(pick("-cp", "a.jar", "com.acme.Main", "-ea", "--enable-preview")
                        .options())
                .isEmpty();
        assertThat(pick("-m", "acme/com.acme.Main", "-ea").options()).isEmpty();
    }

    @Test
    void pick_nativeAccess_isKeptApart() {
        assertThat(pick("--enable-native-access=a,b", "--enable-native-access", "ALL-UNNAMED")
                        .nativeAccess())
                .containsExactlyInAnyOrder("a", "b", "ALL-UNNAMED");
    }

    @Test
    void pick_hostStartedFromAJar_getsWhatItsManifestGrants() throws IOException {
        Path jar = directory.resolve("app.jar");
        Manifest manifest = new Manifest();
        var attributes = manifest.getMainAttributes();
        attributes.putValue("Manifest-Version", "1.0");
        attributes.putValue("Add-Opens", "java.base/java.lang java.base/java.util");
        attributes.putValue("Enable-Native-Access", "ALL-UNNAMED");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream made = new JarOutputStream(out, manifest)) {
            made.finish();
        }

        HostArguments picked = pick("-ea", "-jar", jar.toString(), "-esa");

        assertThat(picked.options())
                .containsExactly(
                        "-ea",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED");
        assertThat(picked.nativeAccess()).containsExactly("ALL-UNNAMED");
    }

    @Test
    void get_hostWithArgumentFileAndVariables_findsAll() throws Exception {
        Path file = directory.resolve("host.args");
        Files.writeString(file, "-esa --add-modules java.logging\n");

        String output = Hosts.run(List.of("-ea", "@" + file, "--enable-preview"), List.of("arguments"), environment -> {
            environment.put("JDK_JAVA_OPTIONS", "-dsa");
            environment.put("JAVA_TOOL_OPTIONS", "--add-opens=java.base/java.lang=ALL-UNNAMED");
        });

        assertThat(output)
                .contains("--add-opens=java.base/java.lang=ALL-UNNAMED", "-dsa", "-ea", "-esa", "--enable-preview")
                .contains("--add-modules=java.logging");
    }
}

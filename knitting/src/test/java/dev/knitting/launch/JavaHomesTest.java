package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaHomesTest {
    @TempDir
    Path home;

    @Test
    void launcher_noHomeNamed_isTheHostsOwn() {
        assertThat(JavaHomes.launcher(null))
                .startsWith(Path.of(System.getProperty("java.home")))
                .isExecutable();
    }

    @Test
    void launcher_noSuchDirectory_namesOptionAndPath() {
        Path missing = home.resolve("none");

        refuses(missing, "option=jvm.javaHome", "value=" + missing, "missing=" + missing);
    }

    @Test
    void launcher_noJavaProgram_namesTheMissingFile() {
        refuses(home, "option=jvm.javaHome", "missing=" + home.resolve("bin/java"));
    }

    @Test
    void launcher_programNotExecutable_namesIt() throws IOException {
        Path java = fake("25.0.1");
        assertThat(java.toFile().setExecutable(false)).isTrue();

        refuses(home, "cannot be executed", "file=" + java);
    }

    @Test
    void launcher_releaseTooOld_namesVersionAndLeast() throws IOException {
        Path java = fake("21.0.4");
        assertThat(java).isExecutable();

        refuses(home, "too old", "version=21.0.4", "least=25", "value=" + home);
    }

    @Test
    void launcher_oldVersionScheme_isTooOld() throws IOException {
        fake("1.8.0_392");

        refuses(home, "version=1.8.0_392");
    }

    @Test
    void launcher_releaseRecentEnough_isAccepted() throws IOException {
        for (String version : new String[] {"25", "25.0.3", "25-ea", "26+35", "100.1"}) {
            Path java = fake(version);

            assertThat(JavaHomes.launcher(home)).isEqualTo(java);
        }
    }

    private Path fake(String version) throws IOException {
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        return java;
    }

    private static void refuses(Path home, String... parts) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> JavaHomes.launcher(home))
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION);
                    assertThat(e).hasMessageContainingAll(parts);
                });
    }
}

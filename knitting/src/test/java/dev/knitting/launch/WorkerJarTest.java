package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerJarTest {
    @TempDir
    Path directory;

    @Test
    void of_anyClassPath_isAJarThatTheJdkReads() throws Exception {
        Path folder = Files.createDirectory(directory.resolve("é x"));
        Path library = directory.resolve("a".repeat(200) + ".jar");
        Path file = directory.resolve("worker.jar");

        Files.write(file, WorkerJar.of("com.acme.Main", folder + File.pathSeparator + library));

        try (JarFile jar = new JarFile(file.toFile())) {
            Attributes attributes = jar.getManifest().getMainAttributes();
            assertThat(jar.stream()).hasSize(1);
            assertThat(attributes.getValue("Main-Class")).isEqualTo("com.acme.Main");
            assertThat(attributes.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
            assertThat(attributes.getValue("Class-Path"))
                    .isEqualTo(folder.toUri().toASCIIString() + " "
                            + library.toUri().toASCIIString())
                    .contains("%C3%A9%20x/ ");
        }
    }
}

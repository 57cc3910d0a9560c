package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Memory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** However a host ends, its workers end with it, and no memory file stays. */
class HostDeathTest {
    /** Workers look four times a second; the rest is for a machine that is busy. */
    private static final Duration WORKERS_GONE = Duration.ofMillis(3_000);

    @TempDir
    Path memoryDirectory;

    private record Host(Process process, List<Long> workers) implements AutoCloseable {
        @Override
        public void close() {
            process.destroyForcibly();
            workers.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        }
    }

    private Host start(Memory memory, String end) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                HostProgram.class.getName(),
                memory.name(),
                memoryDirectory.toString(),
                end));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Host host = new Host(process, new ArrayList<>());
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
            assertThat(line).as("the host's output").isNotNull();
            if (line.startsWith("worker=")) {
                host.workers.add(Long.parseLong(line.substring("worker=".length())));
            }
        }
        assertThat(host.workers).hasSize(2);
        return host;
    }

    /** A process that nobody waited for (its parent is dead) is gone too. */
    private static boolean isGone(long pid) {
        if (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
            try {
                String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
                return stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("Z");
            } catch (IOException e) {
                return !Files.exists(Path.of("/proc", Long.toString(pid)));
            }
        }
        return true;
    }

    private void assertGoneSoon(Host host) {
        long start = System.nanoTime();
        for (long pid : host.workers) {
            Watch.await("worker " + pid + " to end", () -> isGone(pid));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(WORKERS_GONE);
        Watch.await("no memory file", () -> {
            try (Stream<Path> files = Files.list(memoryDirectory)) {
                return files.noneMatch(file -> file.getFileName().toString().startsWith("knit"));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = Memory.class, names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void hostKilled_workersAndFilesGo(Memory memory) throws Exception {
        try (Host host = start(memory, "hang")) {
            host.process.destroyForcibly().waitFor();
            assertGoneSoon(host);
        }
    }

    @Test
    void hostKilled_whileATaskRuns_workersAndFilesGo() throws Exception {
        try (Host host = start(Memory.NAMED, "busy")) {
            host.process.destroyForcibly().waitFor();
            assertGoneSoon(host);
        }
    }

    @Test
    void hostExits_withAnOpenPool_workersAndFilesGo() throws Exception {
        for (Memory memory : List.of(Memory.NAMED, Memory.PORTABLE)) {
            try (Host host = start(memory, "exit")) {
                assertThat(host.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(host.process.exitValue()).isEqualTo(5);
                assertGoneSoon(host);
            }
        }
    }

    @Test
    void hostForgetsThePool_endsWhenMainReturns() throws Exception {
        for (String end : List.of("return", "throw")) {
            try (Host host = start(Memory.NAMED, end)) {
                assertThat(host.process.waitFor(30, TimeUnit.SECONDS)).as(end).isTrue();
                assertThat(host.process.exitValue()).isEqualTo(end.equals("return") ? 0 : 1);
                assertGoneSoon(host);
            }
        }
    }

    @Test
    void hostTerminated_bySignal_workersAndFilesGo() throws Exception {
        try (Host host = start(Memory.NAMED, "hang")) {
            host.process.destroy();
            assertThat(host.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertGoneSoon(host);
        }
    }
}

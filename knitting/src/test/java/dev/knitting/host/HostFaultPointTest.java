package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Memory;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A host that is killed at each of its own points: within a second its workers are gone, and every file is. */
class HostFaultPointTest {
    private static final Duration WORKERS_GONE = Duration.ofSeconds(1);
    private static final int SIGKILL = 128 + 9;

    @TempDir
    Path memoryDirectory;

    @TempDir
    Path temporaryDirectory;

    /** At the first hit, before a worker has done anything; and at a later one, while workers run, start and end. */
    static List<Arguments> points() {
        List<Arguments> all = new ArrayList<>();
        for (FaultPoint point : FaultPoint.values()) {
            if (!point.isWorkers()) {
                all.add(Arguments.of(point, 1, Memory.NAMED));
                all.add(Arguments.of(point, point == FaultPoint.HOST_LAUNCHED ? 3 : 500, Memory.INHERITED));
            }
        }
        all.add(Arguments.of(FaultPoint.HOST_LAUNCHED, 1, Memory.PORTABLE));
        return all;
    }

    @ParameterizedTest
    @MethodSource("points")
    @Timeout(120)
    void hostKilled_atPoint_workersAndFilesGo(FaultPoint point, int hit, Memory memory) throws Exception {
        Path errors = Files.createTempFile("host-fault", ".txt");
        long start = System.nanoTime();
        Process host = start(point, hit, memory, errors);
        try {
            assertThat(host.waitFor(60, TimeUnit.SECONDS)).isTrue();
            long died = System.nanoTime();
            assertThat(host.exitValue()).as(Files.readString(errors)).isEqualTo(SIGKILL);
            assertThat(Files.readString(errors)).contains("point=" + point + " action=KILL pid=" + host.pid());
            Watch.await("workers to end: " + workers(), () -> workers().isEmpty());
            Watch.await("no file", () -> isEmpty(memoryDirectory) && isEmpty(temporaryDirectory));
            Duration took = Duration.ofNanos(System.nanoTime() - died);
            // A worker that was just launched must start before it can see anything. On a busy machine that takes
            // longer
            // than a second; the host's own start shows how long, to which comes the end.
            Duration busy = Duration.ofNanos(2 * (died - start));
            assertThat(took).isLessThan(busy.compareTo(WORKERS_GONE) > 0 ? busy : WORKERS_GONE);
        } finally {
            host.destroyForcibly();
            workers().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            Files.delete(errors);
        }
    }

    private Process start(FaultPoint point, int hit, Memory memory, Path errors) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporaryDirectory,
                "-D" + Faults.PROPERTY + "=" + point + ":KILL:" + hit + ":0:0",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                HostFaultProgram.class.getName(),
                memory.name(),
                memoryDirectory.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start();
    }

    /** Processes whose command line names this test's temporary directory: the host is dead, so its workers. */
    private List<Long> workers() {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(process -> process.getFileName().toString().matches("\\d+"))
                    .filter(process -> commandLine(process).contains(temporaryDirectory.toString()))
                    .map(process -> Long.parseLong(process.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empty for a process that has ended, reaped or not. */
    private static String commandLine(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean isEmpty(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.Memory;
import dev.knitting.observe.SandboxTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a host ends, its workers end with it within a second, and no file stays. */
class HostDeathTest {
    /** What is promised on a machine that has time; on one that is busy, as long as the host took to start. */
    private static final Duration WORKERS_GONE = Duration.ofSeconds(1);

    private static final List<String> NO_PREFIX = List.of();
    /** A shell that stays, with the program as its child. */
    private static final List<String> STAYING_SHELL = List.of("sh", "-c", "\"$@\"; exit $?", "sh");

    private static final List<String> BUBBLEWRAP = List.of(
            "bwrap",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--unshare-net",
            "--unshare-ipc",
            "--die-with-parent");
    private static final List<String> PID_NAMESPACE = List.of("unshare", "-pf");
    private static final List<String> PID_NAMESPACE_WITH_PROC = List.of("unshare", "-pf", "--mount-proc");

    @TempDir
    Path memoryDirectory;

    @TempDir
    Path temporaryDirectory;

    /**
     * A started host.
     *
     * @param process what was started, the host or a prefix of it
     * @param pid of the host's JVM, as this JVM sees it
     * @param workers of worker JVMs and what stands between
     * @param startTime what it took until its pool was open
     * @param output what it prints after that
     */
    private record Host(Process process, long pid, List<Long> workers, Duration startTime, BufferedReader output)
            implements AutoCloseable {
        void signal(String name) throws Exception {
            assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        }

        void awaitEnd(int exitCode) throws InterruptedException {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(exitCode);
        }

        @Override
        public void close() {
            process.destroyForcibly();
            workers.forEach(worker -> ProcessHandle.of(worker).ifPresent(ProcessHandle::destroyForcibly));
        }
    }

    private Host start(Memory memory, String end) throws IOException {
        return start(NO_PREFIX, NO_PREFIX, memory, end);
    }

    private Host start(List<String> hostPrefix, List<String> workerPrefix, Memory memory, String end, String... jvm)
            throws IOException {
        List<String> command = new ArrayList<>(hostPrefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporaryDirectory,
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of(jvm));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                HostProgram.class.getName(),
                memory.name(),
                memoryDirectory.toString(),
                end));
        command.addAll(workerPrefix);
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
            assertThat(line).as("the host's output").isNotNull();
        }
        Duration startTime = Duration.ofNanos(System.nanoTime() - start);
        List<Long> workers = new ArrayList<>();
        long pid = process.pid();
        for (ProcessHandle descendant : process.descendants().toList()) {
            String words = commandLine(descendant.pid());
            if (words.contains("-Dknitting.worker=")) {
                workers.add(descendant.pid());
            } else if (words.startsWith(System.getProperty("java.home"))) {
                pid = descendant.pid();
            }
        }
        Host host = new Host(process, pid, workers, startTime, output);
        assertThat(workers).hasSizeGreaterThanOrEqualTo(2);
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return host;
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        Watch.await("no file", () -> isEmpty(memoryDirectory) && isEmpty(temporaryDirectory));
        Duration bound = host.startTime.compareTo(WORKERS_GONE) > 0 ? host.startTime : WORKERS_GONE;
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(bound);
    }

    private static boolean isEmpty(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void killAndWatch(Host host) throws Exception {
        host.signal("KILL");
        Watch.await("the host to end", () -> isGone(host.pid));
        assertGoneSoon(host);
    }

    @ParameterizedTest
    @EnumSource(value = Memory.class, names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void hostKilled_workersAndFilesGo(Memory memory) throws Exception {
        try (Host host = start(memory, "hang")) {
            killAndWatch(host);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Memory.class, names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void hostKilled_whileATaskRuns_workersAndFilesGo(Memory memory) throws Exception {
        try (Host host = start(memory, "busy")) {
            killAndWatch(host);
        }
    }

    /** One that is on its way out, or not there yet, deletes nothing: another one does. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void hostKilled_togetherWithOneOfItsWorkers_workersAndFilesGo(int worker) throws Exception {
        try (Host host = start(Memory.INHERITED, "hang")) {
            for (long pid : host.workers) {
                Watch.await("worker " + pid + " to watch its host", () -> isPolling(pid));
            }
            assertThat(new ProcessBuilder(
                                    "kill", "-KILL", Long.toString(host.workers.get(worker)), Long.toString(host.pid))
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
            Watch.await("the host to end", () -> isGone(host.pid));
            assertGoneSoon(host);
        }
    }

    @Test
    void hostKilled_whileItsWorkersAreStopped_workersAndFilesGo() throws Exception {
        try (Host host = start(Memory.INHERITED, "hang")) {
            for (long worker : host.workers) {
                Watch.await("worker " + worker + " to watch its host", () -> isPolling(worker));
                assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(worker))
                                .inheritIO()
                                .start()
                                .waitFor())
                        .isZero();
            }
            killAndWatch(host);
        }
    }

    /** Whether one of its threads is in the system call {@code ppoll}. */
    private static boolean isPolling(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads.toList()) {
                String call = Files.readString(thread.resolve("syscall"));
                if (call.startsWith(System.getProperty("os.arch").equals("amd64") ? "271 " : "73 ")) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false; // a thread has just ended
        }
    }

    static List<List<String>> prefixes() {
        return List.of(
                List.of("nice", "-n", "1"),
                List.of("env", "KNITTING_TEST=1"),
                List.of("setpriv", "--no-new-privs"),
                STAYING_SHELL,
                PID_NAMESPACE,
                PID_NAMESPACE_WITH_PROC);
    }

    @ParameterizedTest
    @MethodSource("prefixes")
    void hostKilled_behindACommandPrefix_workersAndFilesGo(List<String> prefix) throws Exception {
        assumeCanRun(prefix);
        for (Memory memory : List.of(Memory.INHERITED, Memory.NAMED)) {
            // Named memory needs no standard input, which a background job of a shell has not got.
            try (Host host = start(NO_PREFIX, prefix, memory, "hang")) {
                killAndWatch(host);
            }
        }
    }

    /** Workers that may delete nothing: the files go with the next pool. */
    @ParameterizedTest
    @ValueSource(strings = {"hang", "busy", "blind"})
    void hostKilled_sandboxedWorkersGo(String end) throws Exception {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
        for (List<String> prefix : List.of(NO_PREFIX, List.of("env", "KNITTING_TEST=1"))) {
            try (Host host = start(NO_PREFIX, prefix, Memory.INHERITED, end, "-Dhost.sandbox=true")) {
                if (end.equals("blind")) {
                    assertThat(host.output.readLine()).isEqualTo("blind");
                }
                killAndWatchProcesses(host);
            }
        }
    }

    /** The recipe of docs/security.md: its file system is not the worker's to write. */
    @Test
    void hostKilled_workersInBubblewrapGo() throws Exception {
        assumeCanRun(BUBBLEWRAP);
        try (Host host = start(NO_PREFIX, BUBBLEWRAP, Memory.INHERITED, "hang")) {
            killAndWatchProcesses(host);
        }
    }

    private static void killAndWatchProcesses(Host host) throws Exception {
        host.signal("KILL");
        Watch.await("the host to end", () -> isGone(host.pid));
        long start = System.nanoTime();
        for (long pid : host.workers) {
            Watch.await("worker " + pid + " to end", () -> isGone(pid));
        }
        Duration bound = host.startTime.compareTo(WORKERS_GONE) > 0 ? host.startTime : WORKERS_GONE;
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(bound);
    }

    static List<List<String>> namespaces() {
        List<String> shellInside = new ArrayList<>(PID_NAMESPACE);
        shellInside.addAll(STAYING_SHELL);
        List<String> shellInsideWithProc = new ArrayList<>(PID_NAMESPACE_WITH_PROC);
        shellInsideWithProc.addAll(STAYING_SHELL);
        return List.of(PID_NAMESPACE, PID_NAMESPACE_WITH_PROC, shellInside, shellInsideWithProc);
    }

    /** With and without being process 1, with the right and the wrong {@code /proc}. */
    @ParameterizedTest
    @MethodSource("namespaces")
    void hostKilled_insideAPidNamespace_workersAndFilesGo(List<String> namespace) throws Exception {
        assumeCanRun(namespace);
        for (Memory memory : List.of(Memory.INHERITED, Memory.NAMED)) {
            try (Host host = start(namespace, NO_PREFIX, memory, "hang")) {
                host.signal("KILL");
                Watch.await("the host to end", () -> isGone(host.pid));
                for (long pid : host.workers) {
                    Watch.await("worker " + pid + " to end", () -> isGone(pid));
                }
            }
        }
    }

    private static void assumeCanRun(List<String> prefix) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        boolean can;
        try {
            can = new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            can = false;
        }
        assumeTrue(can, () -> "cannot be run here: " + prefix);
    }

    @Test
    void hostExits_withAnOpenPool_workersAndFilesGo() throws Exception {
        for (Memory memory : List.of(Memory.INHERITED, Memory.NAMED, Memory.PORTABLE)) {
            try (Host host = start(memory, "exit")) {
                host.awaitEnd(5);
                assertGoneSoon(host);
            }
        }
    }

    @Test
    void hostHalts_withoutShutdownHooks_workersAndFilesGo() throws Exception {
        try (Host host = start(Memory.INHERITED, "halt")) {
            host.awaitEnd(6);
            assertGoneSoon(host);
        }
    }

    @Test
    void hostForgetsThePool_endsWhenMainReturns() throws Exception {
        for (String end : List.of("return", "throw", "error")) {
            try (Host host = start(Memory.NAMED, end)) {
                host.awaitEnd(end.equals("return") ? 0 : 1);
                assertGoneSoon(host);
            }
        }
    }

    @Test
    void hostRunsOutOfMemory_workersAndFilesGo() throws Exception {
        for (String flag : List.of("-XX:-ExitOnOutOfMemoryError", "-XX:+ExitOnOutOfMemoryError")) {
            try (Host host = start(NO_PREFIX, NO_PREFIX, Memory.INHERITED, "memory", "-Xmx48m", flag)) {
                host.awaitEnd(flag.contains("+") ? 3 : 1);
                assertGoneSoon(host);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void hostTerminated_bySignal_workersAndFilesGo(String signal) throws Exception {
        for (List<String> prefix : List.of(NO_PREFIX, STAYING_SHELL)) {
            try (Host host = start(NO_PREFIX, prefix, Memory.NAMED, "hang")) {
                host.signal(signal);
                assertThat(host.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertGoneSoon(host);
            }
        }
    }
}

package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Starts real child JVMs. Every wait is bounded; nothing sleeps. */
@Timeout(120)
class ProcessLauncherTest {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    Path directory;

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final ProcessLauncher launcher = new ProcessLauncher("test", (pool, worker, line) -> lines.add(line));
    private WorkerCommand command = command(builder());

    private static PoolBuilder builder() {
        return Pool.processes().workers(4).name("test");
    }

    private static WorkerCommand command(PoolBuilder builder) {
        return WorkerCommand.of(builder.options(), true, ChildMain.class.getName());
    }

    private void use(PoolBuilder builder) {
        command.close();
        command = command(builder);
    }

    @AfterEach
    void close() {
        launcher.close();
        command.close();
    }

    private WorkerProcess start(String... arguments) {
        return launcher.start(command, 3, null, List.of(arguments));
    }

    private static WorkerExit end(WorkerProcess worker) throws Exception {
        return worker.exit().get(BOUND_NANOS, TimeUnit.NANOSECONDS);
    }

    /** The rest of the first line that begins so. */
    private String line(String start) throws InterruptedException {
        while (true) {
            String line = lines.poll(BOUND_NANOS, TimeUnit.NANOSECONDS);
            assertThat(line).as("line beginning with %s", start).isNotNull();
            if (line.startsWith(start)) {
                return line.substring(start.length());
            }
        }
    }

    @Test
    void start_child_runsWithTheHostsSettings() throws Exception {
        use(builder()
                .environment("KNITTING_TEST_ADDED", "yes é")
                .jvm(j -> j.maxHeap("64m").systemProperty("test.quoted", "a \"b\" \\c 'd' é # €\te")));

        WorkerExit exit = end(start("describe"));

        assertThat(exit.exitCode()).as(exit.describe()).isZero();
        assertThat(exit.lastOutput().lines())
                .contains(
                        "worker=3",
                        "quoted=a \"b\" \\c 'd' é # €\te",
                        "encoding=UTF-8",
                        "locale=" + java.util.Locale.getDefault(),
                        "zone=" + java.util.TimeZone.getDefault().getID(),
                        "directory=" + System.getProperty("user.dir"),
                        "toolOptions=null",
                        "jdkOptions=null",
                        "added=yes é")
                .anyMatch(line -> line.startsWith("maxHeap=") && Long.parseLong(line.substring(8)) <= 64 << 20);
    }

    @Test
    void start_oddCharactersInTheClassPath_areFound() throws Exception {
        Path odd = Files.createDirectory(directory.resolve("a b \"quoted\" 'é' \\ #€"));
        Files.writeString(odd.resolve("marker.txt"), "found it");
        use(builder().addClassPath(odd));

        assertThat(end(start("resource", "marker.txt")).lastOutput()).isEqualTo("found it");
    }

    @Test
    void start_classPathByOption_oddCharactersAreFoundToo() throws Exception {
        Path odd = Files.createDirectory(directory.resolve("a b \"quoted\" 'é' \\ #€"));
        Files.writeString(odd.resolve("marker.txt"), "found it");
        use(builder().addClassPath(odd).jvm(j -> j.options("--add-modules=java.logging")));

        assertThat(end(start("resource", "marker.txt")).lastOutput()).isEqualTo("found it");
        assertThat(end(start("native")).lastOutput()).isEqualTo("nativeAccess=true");
    }

    @Test
    void start_nativeAccess_isGrantedWithoutTheFlag() throws Exception {
        assertThat(end(start("native")).lastOutput()).isEqualTo("nativeAccess=true");
    }

    @Test
    void start_hostWithJvmVariables_workerDoesNotSeeThem() throws Exception {
        String output = Hosts.run(List.of(), List.of("describe"), environment -> {
            environment.put("JAVA_TOOL_OPTIONS", "-Dfile.encoding=UTF-8");
            environment.put("JDK_JAVA_OPTIONS", "-Dx=y");
        });

        assertThat(output.lines()).contains("toolOptions=null", "jdkOptions=null");
    }

    @Test
    void start_hostWithEmptyEnvironment_workerHasUtf8FileNames() throws Exception {
        String output = Hosts.run(List.of(), List.of("describe"), java.util.Map::clear);

        assertThat(output.lines()).contains("jnu=UTF-8", "lcAll=C.UTF-8");
    }

    @Test
    void start_stdinGiven_isTheChildsStandardInput() throws Exception {
        Path input = Files.writeString(directory.resolve("in"), "hello");

        WorkerProcess worker = launcher.start(command, 0, input, List.of("stdin"));

        assertThat(end(worker).lastOutput()).isEqualTo("stdin=hello");
        assertThat(end(start("stdin")).lastOutput()).isEqualTo("stdin=");
    }

    @Test
    void start_programMissing_failsNamingIt() {
        use(builder().commandPrefix("/no/such/wrapper"));

        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> start("say", "x"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED))
                .withMessageContainingAll("/no/such/wrapper", "worker=3", "pool=test");
        assertThat(launcher.live()).isEmpty();
    }

    @Test
    void start_unknownJvmOption_exitTellsWhatTheJvmSaid() throws Exception {
        use(builder().jvm(j -> j.options("-XX:+NoSuchFlag")));

        WorkerExit exit = end(start("say", "x"));

        assertThat(exit.exitCode()).isEqualTo(1);
        assertThat(exit.describe()).contains("NoSuchFlag");
    }

    @Test
    void start_anyCaller_runsOnThePoolsOneThread() {
        Thread first = launcher.onLauncherThread(Thread::currentThread);
        start("say", "x");
        Thread second = launcher.onLauncherThread(Thread::currentThread);

        assertThat(first).isSameAs(second);
        assertThat(first.getName()).isEqualTo("knitting-launcher-test");
        assertThat(first.isDaemon()).isTrue();
        assertThat(first.isVirtual()).isFalse();
    }

    @Test
    void exit_codeAndOutput_areReported() throws Exception {
        WorkerExit exit = end(start("exit", "3"));

        assertThat(exit.exitCode()).isEqualTo(3);
        assertThat(exit.signal()).isNull();
        assertThat(exit.isCrash()).isFalse();
        assertThat(exit.lastOutput()).isEqualTo("to standard output\nto standard error: \"é\"");
    }

    @Test
    void exit_killed_namesTheSignal() throws Exception {
        WorkerProcess worker = start("wait");
        line("ready");
        assertThat(worker.isAlive()).isTrue();

        worker.destroyForcibly();

        WorkerExit exit = end(worker);
        assertThat(exit.signal()).isEqualTo("SIGKILL");
        assertThat(exit.exitCode()).isEqualTo(137);
        assertThat(exit.isCrash()).isTrue();
        assertThat(exit.outOfMemory()).isFalse();
        assertThat(worker.isAlive()).isFalse();
        assertThat(launcher.live()).isEmpty();
    }

    @Test
    void exit_jvmCrashed_bringsTheHeadOfItsReport() throws Exception {
        WorkerProcess worker = start("wait");
        line("ready");

        new ProcessBuilder("kill", "-SEGV", Long.toString(worker.pid())).start().waitFor();

        WorkerExit exit = end(worker);
        assertThat(exit.signal()).isEqualTo("SIGABRT");
        assertThat(exit.crashReport()).contains("SIGSEGV");
        assertThat(exit.describe()).contains("exitCode=134, signal=SIGABRT", "crashReport=");
    }

    @Test
    void exit_heapExhausted_saysOutOfMemory() throws Exception {
        use(builder().jvm(j -> j.maxHeap("16m")));

        assertThat(end(start("heap")).outOfMemory()).isTrue();
    }

    @Test
    void exit_severalAsk_eachIsToldOnce() throws Exception {
        AtomicInteger before = new AtomicInteger();
        AtomicInteger after = new AtomicInteger();
        WorkerProcess worker = start("wait");
        CompletableFuture<Void> counted = worker.exit().thenAccept(exit -> before.incrementAndGet());
        // A caller that completes its own future must not deceive the others.
        worker.exit().complete(new WorkerExit(0, 0, null, false, false, "", ""));
        line("ready");
        assertThat(before).hasValue(0);

        worker.destroyForcibly();
        worker.destroyForcibly();
        counted.get(BOUND_NANOS, TimeUnit.NANOSECONDS);
        worker.exit().thenAccept(exit -> after.incrementAndGet()).get(BOUND_NANOS, TimeUnit.NANOSECONDS);

        assertThat(before).hasValue(1);
        assertThat(after).hasValue(1);
        assertThat(end(worker).signal()).isEqualTo("SIGKILL");
    }

    @Test
    void awaitExit_running_isFalseUntilTheEnd() throws Exception {
        WorkerProcess worker = start("wait");
        line("ready");

        assertThat(worker.awaitExit(0)).isFalse();
        assertThat(worker.awaitExit(1_000_000)).isFalse();
        worker.destroyForcibly();
        assertThat(worker.awaitExit(BOUND_NANOS)).isTrue();
        assertThat(worker.exit()).isCompleted();
    }

    @Test
    void output_tenMegabytesOfLines_blocksNobodyAndKeepsTheEnd() throws Exception {
        WorkerExit exit = end(start("flood", "10000000", "lines"));

        assertThat(exit.exitCode()).isZero();
        assertThat(exit.lastOutput()).endsWith("last line").hasSizeLessThanOrEqualTo(OutputTail.MAX_CHARS);
    }

    @Test
    void output_tenMegabytesInOneLine_staysBounded() throws Exception {
        WorkerExit exit = end(start("flood", "10000000", "one"));

        assertThat(exit.exitCode()).isZero();
        assertThat(exit.lastOutput()).endsWith("xxx\nlast line").hasSizeLessThanOrEqualTo(OutputTail.MAX_CHARS);
    }

    @Test
    void output_listenerBlocks_childStillEnds() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (ProcessLauncher other = new ProcessLauncher("blocked", (pool, worker, line) -> block(never))) {
            WorkerProcess worker = other.start(command, 0, null, List.of("flood", "10000000", "lines"));

            assertThat(end(worker).lastOutput()).endsWith("last line");
        } finally {
            never.countDown();
        }
    }

    private static void block(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void output_grandchildKeepsThePipe_noticeAndThreadsEndAllTheSame() throws Exception {
        WorkerProcess worker = start("grandchild", "300", "end");
        ProcessHandle grandchild =
                ProcessHandle.of(Long.parseLong(line("grandchild="))).orElseThrow();
        try {
            WorkerExit exit = end(worker);

            assertThat(exit.exitCode()).isZero();
            assertThat(grandchild.isAlive()).isTrue();
            assertThat(exit.lastOutput()).isEqualTo("grandchild=" + grandchild.pid());
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("knitting-read-test")) {
                    assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
                }
            }
        } finally {
            grandchild.destroyForcibly();
        }
    }

    @Test
    void destroyForcibly_grandchild_diesToo() throws Exception {
        WorkerProcess worker = start("grandchild", "300", "wait");
        ProcessHandle grandchild =
                ProcessHandle.of(Long.parseLong(line("grandchild="))).orElseThrow();

        worker.destroyForcibly();

        assertThat(end(worker).signal()).isEqualTo("SIGKILL");
        grandchild.onExit().get(BOUND_NANOS, TimeUnit.NANOSECONDS);
    }

    @Test
    void close_workersRunning_killsThemAndRefusesMore() throws Exception {
        WorkerProcess one = start("wait");
        WorkerProcess two = start("wait");
        assertThat(launcher.live()).containsExactlyInAnyOrder(one, two);
        assertThat(launcher.awaitExits(0)).isFalse();

        launcher.close();

        assertThat(one.isAlive()).isFalse();
        assertThat(two.isAlive()).isFalse();
        assertThat(launcher.live()).isEmpty();
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> start("say", "x"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
    }

    @Test
    void awaitExits_orderlyEnds_areWaitedFor() throws Exception {
        WorkerProcess worker = start("say", "x");

        assertThat(launcher.awaitExits(BOUND_NANOS)).isTrue();

        assertThat(worker.isAlive()).isFalse();
        assertThat(end(worker).exitCode()).isZero();
    }

    @Test
    void hostExit_poolStillOpen_leavesNoWorkerAndNoFile() throws Exception {
        List<String> output = Hosts.run(List.of(), List.of("leave"), environment -> {})
                .lines()
                .toList();

        long pid = Long.parseLong(value(output, "pid="));
        // Killed by the hook; its end may follow the host's by a moment.
        var left = ProcessHandle.of(pid);
        if (left.isPresent()) {
            left.get().onExit().get(BOUND_NANOS, TimeUnit.NANOSECONDS);
        }
        assertThat(Path.of(value(output, "directory="))).doesNotExist();
    }

    private static String value(List<String> output, String start) {
        return output.stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .findFirst()
                .orElseThrow(() -> new AssertionError(output));
    }
}

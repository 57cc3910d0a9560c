package dev.knitting.escape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Sandbox;
import dev.knitting.TaskFailedException;
import dev.knitting.observe.SandboxTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a sandbox allows, what it says when it refuses, and what it says that it cannot do. */
@Timeout(120)
class SandboxPoolTest {
    @TempDir
    Path directory;

    @BeforeEach
    void needsAKernelThatEnforces() {
        assumeTrue(SandboxTable.isStrictSupported(), "this machine cannot enforce a sandbox");
    }

    private static PoolBuilder pool(Sandbox sandbox) {
        return Pool.processes(1).name("box").sandbox(sandbox).jvm(jvm -> jvm.maxHeap("48m"));
    }

    private static TaskFailedException refused(Pool pool, dev.knitting.Task.Source<?> task) {
        try {
            Object result = pool.invoke(task);
            throw new AssertionError("not refused: " + result);
        } catch (TaskFailedException e) {
            return e;
        }
    }

    @Test
    void filesAndNames_allowed_work_andRefused_sayWhatWouldAllowThem() throws IOException {
        Path in = Files.createDirectory(directory.resolve("in"));
        Path out = Files.createDirectory(directory.resolve("out"));
        Path neighbour = Files.createDirectory(directory.resolve("neighbour"));
        Files.writeString(in.resolve("a"), "readable");
        Files.createDirectory(in.resolve(".git"));
        Files.writeString(in.resolve(".git/config"), "token");
        Files.writeString(neighbour.resolve("diary"), "private");
        Files.createSymbolicLink(in.resolve("shortcut"), neighbour.resolve("diary"));
        Files.createDirectory(out.resolve("kept"));
        String readable = in.resolve("a").toString();
        String git = in.resolve(".git/config").toString();
        String diary = neighbour.resolve("diary").toString();
        String link = in.resolve("shortcut").toString();
        String writable = out.toString();
        String kept = out.resolve("kept/x").toString();
        Sandbox sandbox =
                Sandbox.strict().read(in).write(out).deny(out.resolve("kept")).env("HOME");
        Path temporary;
        try (Pool pool = pool(sandbox).open()) {
            assertThat(pool.invoke(() -> SandboxTasks.read(readable))).isEqualTo("readable");
            assertThat(refused(pool, () -> SandboxTasks.write(readable)))
                    .hasMessageContaining("path=" + readable + ", option=sandbox.write");
            assertThat(refused(pool, () -> SandboxTasks.read(diary)))
                    .hasMessageContaining("[refused by the sandbox: path=" + diary + ", option=sandbox.read");
            assertThat(refused(pool, () -> SandboxTasks.readOld(diary)))
                    .hasMessageContaining("[refused by the sandbox: path=" + diary);
            assertThat(refused(pool, () -> SandboxTasks.read(git))).hasMessageContaining("refused by the sandbox");
            assertThat(refused(pool, () -> SandboxTasks.read(link))).hasMessageContaining("refused by the sandbox");
            assertThat(refused(pool, () -> SandboxTasks.write(kept))).hasMessageContaining("refused by the sandbox");
            // Expanded on account of what is denied in it: what is there is allowed, what comes is not.
            assertThat(refused(pool, () -> SandboxTasks.writeIn(writable))).hasMessageContaining("refused by");
            assertThat(refused(pool, () -> SandboxTasks.execute("/bin/echo")))
                    .hasMessageContaining("program=/bin/echo, option=sandbox.execute");
            assertThat(pool.invoke(() -> SandboxTasks.environment("HOME"))).isEqualTo(System.getenv("HOME"));
            assertThat(pool.invoke(() -> SandboxTasks.environment("PATH"))).isEqualTo("null");
            temporary = Path.of(pool.invoke(() -> SandboxTasks.temporary()));
            assertThat(temporary).exists();
        }
        assertThat(temporary.getParent().getParent().getParent()).doesNotExist();
        assertThat(Path.of("/")).isNotEmptyDirectory();
    }

    @Test
    void writeAndPortsAndPrograms_allowed_work() throws IOException {
        Path out = Files.createDirectory(directory.resolve("out"));
        String writable = out.toString();
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            int open = server.getLocalPort();
            int closed = other.getLocalPort();
            Sandbox sandbox = Sandbox.strict().write(out).connect(open).bind(0).execute(Path.of("/bin/echo"));
            try (Pool pool = pool(sandbox).open()) {
                assertThat(pool.invoke(() -> SandboxTasks.writeIn(writable))).isEqualTo("1");
                assertThat(pool.invoke(() -> SandboxTasks.connect(open))).isEqualTo("connected");
                assertThat(refused(pool, () -> SandboxTasks.connect(closed)))
                        .hasMessageContaining("port=" + closed + ", option=sandbox.connect(" + closed + ")");
                assertThat(pool.invoke(() -> SandboxTasks.listen(0))).isPositive();
                assertThat(refused(pool, () -> SandboxTasks.listen(closed + 1)))
                        .hasMessageContaining("option=sandbox.connect or sandbox.bind");
                assertThat(pool.invoke(() -> SandboxTasks.execute("/bin/echo"))).isEqualTo("hello 0");
                assertThat(refused(pool, () -> SandboxTasks.execute("/bin/ls")))
                        .hasMessageContaining("program=/bin/ls");
            }
        }
    }

    @Test
    void workerThatExits_inASandbox_isReplaced() {
        try (Pool pool = pool(Sandbox.strict()).open()) {
            assertThatThrownBy(() -> pool.invoke(() -> SandboxPoolTest.exit()))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_EXITED));
            assertThat(pool.invoke(() -> SandboxTasks.environment("PATH"))).isEqualTo("null");
        }
    }

    static int exit() {
        Runtime.getRuntime().halt(3);
        return 0;
    }

    /** The host looks for a crash report where the worker writes: it must neither follow a link nor wait. */
    @Test
    void crashReport_replacedByALinkOrAPipe_tellsNothingAndHoldsNobody() throws IOException {
        String diary =
                Files.writeString(directory.resolve("diary"), "# private\n").toString();
        try (Pool pool = pool(Sandbox.strict()).open()) {
            for (String linkTo : java.util.List.of(diary, "/dev/zero", "")) {
                assertThatThrownBy(() -> pool.invoke(() -> SandboxTasks.endWithReport(linkTo)))
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_EXITED))
                        .hasMessageNotContaining("private");
            }
            assertThat(pool.invoke(() -> SandboxTasks.environment("PATH"))).isEqualTo("null");
        }
    }

    /** What a worker says of a refusal is its own word. */
    @Test
    void refusals_thatAreLies_costTheHostNothing() {
        try (Pool pool = pool(Sandbox.strict()).open()) {
            assertThat(refused(pool, () -> SandboxTasks.failWithPath("a\0b"))).hasMessageContaining("a\0b");
            long begin = System.nanoTime();
            assertThat(refused(pool, () -> SandboxTasks.failWithPorts(1 << 20)))
                    .message()
                    .doesNotContain("option=");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
        }
    }

    /** What the probe of another runtime goes by, asked of a worker and of this unrestricted process. */
    @Test
    void report_insideASandbox_saysThatAllHolds_andOutsideThatNothingDoes() {
        java.util.Queue<String> lines = new java.util.concurrent.ConcurrentLinkedQueue<>();
        try (Pool pool = pool(Sandbox.strict())
                .output((name, worker, line) -> lines.add(line))
                .open()) {
            pool.invoke(() -> SandboxTasks.report());
        }
        String begin = "knitting-report arch=" + System.getProperty("os.arch") + " java="
                + Runtime.version().feature();
        assertThat(lines).containsExactly(begin);
        assertThat(dev.knitting.memory.RestrictionReport.text()).isEqualTo(begin + " no-rules no-filter");
    }

    @Test
    void temporaryFolder_ofAWorkerThatIsGone_isDeletedHoweverDeep() {
        Path deep;
        try (Pool pool = pool(Sandbox.strict()).open()) {
            deep = Path.of(pool.invoke(() -> SandboxTasks.makeDeep(1_500)));
            assertThat(deep).exists();
        }
        assertThat(deep.getParent()).doesNotExist();
    }

    @Test
    void memory_limited_workerThatTakesMoreIsKilledByTheKernel() {
        assumeTrue(SandboxTable.memoryLimit().startsWith("exact"), SandboxTable::memoryLimit);
        try (Pool pool = Pool.processes(1)
                .sandbox(Sandbox.strict())
                .jvm(jvm -> jvm.maxHeap("1g"))
                .resources(r -> r.memory(250L << 20))
                .open()) {
            assertThat(pool.invoke(() -> SandboxTasks.touch(50))).isEqualTo(50);
            assertThatThrownBy(() -> pool.invoke(() -> SandboxTasks.touch(600)))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MEMORY_KILLED));
            assertThat(pool.invoke(() -> SandboxTasks.touch(50))).isEqualTo(50);
        }
    }

    @Test
    void kernelThatCannotEnforce_isRefusedByNameBeforeAnythingStarts() {
        System.setProperty("knitting.landlock", "3");
        try {
            assertThatThrownBy(() -> pool(Sandbox.strict().connect(443)).open())
                    .isInstanceOfSatisfying(KnittingException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PLATFORM);
                        assertThat(e)
                                .hasMessageContaining("CONNECT: needs Landlock ABI 4")
                                .message()
                                .doesNotContain("READ:");
                    });
            System.setProperty("knitting.landlock", "0");
            System.setProperty("knitting.seccomp", "false");
            assertThatThrownBy(() -> pool(Sandbox.strict()).open())
                    .hasMessageContaining("READ: needs Landlock")
                    .hasMessageContaining("NO_NETWORK: needs seccomp")
                    .hasMessageContaining("option=sandbox");
        } finally {
            System.clearProperty("knitting.landlock");
            System.clearProperty("knitting.seccomp");
        }
    }

    @Test
    void pathsThatCannotBe_areRefusedAtOpen() throws IOException {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> pool(Sandbox.strict().read(missing)).open())
                .hasMessageContaining("does not exist")
                .hasMessageContaining("option=sandbox.read");
        Path in = Files.createDirectory(directory.resolve("in"));
        assertThatThrownBy(() -> pool(Sandbox.strict().read(in).deny(directory)).open())
                .hasMessageContaining("contradict");
    }

    /** An older Landlock leaves more to seccomp; the promise is the same. */
    @Test
    void firstLandlock_stillRefusesFiles() throws IOException {
        String secret = Files.writeString(directory.resolve("secret"), "x").toString();
        System.setProperty("knitting.landlock", "1");
        try (Pool pool = pool(Sandbox.strict()).open()) {
            assertThat(refused(pool, () -> SandboxTasks.read(secret))).hasMessageContaining("refused by the sandbox");
            assertThat(refused(pool, () -> SandboxTasks.write(secret))).hasMessageContaining("refused by the sandbox");
        } finally {
            System.clearProperty("knitting.landlock");
        }
    }

    @Test
    void resources_stated_areTheWorkersLimits() throws IOException {
        String file = Files.writeString(directory.resolve("f"), "x").toString();
        try (Pool pool = Pool.processes(1)
                .jvm(jvm -> jvm.maxHeap("48m"))
                .resources(r -> r.openFiles(60)
                        .nice(5)
                        .oomScoreAdj(300)
                        .processors(0)
                        .metaspace("64m")
                        .cpuTime(Duration.ofSeconds(20))
                        .addressSpace(64L << 30))
                .open()) {
            assertThat(pool.invoke(() -> SandboxTasks.openMany(file))).isBetween(1, 60);
            assertThat(pool.invoke(() -> SandboxTasks.niceLevel())).isEqualTo(5);
            assertThat(pool.invoke(() -> SandboxTasks.oomScore())).isEqualTo("300");
            assertThat(pool.invoke(() -> SandboxTasks.statusLine("Cpus_allowed_list:")))
                    .endsWith("\t0");
        }
    }

    @Test
    void cpuTime_usedUp_endsTheWorkerAndTheCallSaysSo() {
        try (Pool pool = pool(Sandbox.strict())
                .resources(r -> r.cpuTime(Duration.ofSeconds(3)))
                .open()) {
            assertThatThrownBy(() -> pool.invoke(() -> SandboxTasks.burn()))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_CRASHED));
            assertThat(pool.invoke(() -> SandboxTasks.environment("PATH"))).isEqualTo("null");
        }
    }
}

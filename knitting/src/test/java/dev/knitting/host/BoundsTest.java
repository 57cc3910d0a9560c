package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Limits of the machine, for real: each call settles with a reason that names what to change, the pool goes on or says why
 * not, nothing is left. Where a limit cannot be set (it takes root, or another system) the test is skipped and says so.
 */
class BoundsTest {
    private static final int CAP = 1 << 20;
    private static final int RECYCLED = Integer.getInteger("bounds.recycled", 300);

    @TempDir
    Path directory;

    // ---- limits of a host, in a JVM of its own

    private static List<String> host(String scenario, Object... arguments) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:ReservedCodeCacheSize=32m",
                "-XX:CompressedClassSpaceSize=64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                BoundHost.class.getName(),
                scenario));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        return words;
    }

    /** What a shell prints that sets a limit and then becomes the host. */
    private static String under(String limit, List<String> host) throws Exception {
        List<String> words = new ArrayList<>(List.of("sh", "-c", limit + " && exec \"$@\"", "sh"));
        words.addAll(host);
        return run(words);
    }

    private static String run(List<String> words) throws Exception {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static void assumeMounts() throws Exception {
        boolean can;
        try {
            can = run(List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt && echo yes"))
                    .contains("yes");
        } catch (IOException e) {
            can = false;
        }
        assumeTrue(can, "file systems cannot be mounted here: needs root and unshare");
    }

    private String inSmallFileSystem(String size, String scenario) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=" + size + " none " + directory + " && \"$@\"; ls -A " + directory
                        + " | sed 's/^/left /'",
                "sh"));
        words.addAll(host(scenario, directory));
        return run(words);
    }

    @Test
    void memoryFull_inMidRun_callsFailByNameAndSmallOnesGoOn() throws Exception {
        assumeMounts();
        String output = inSmallFileSystem("4m", "memory");
        assertThat(output.lines().filter(line -> line.startsWith("argument")))
                .isNotEmpty()
                .allMatch(line -> line.contains("OUT_OF_SHARED_MEMORY") && line.contains("option=memoryDirectory"));
        assertThat(output.lines().filter(line -> line.startsWith("result")))
                .isNotEmpty()
                .allMatch(line -> line.contains("OUT_OF_SHARED_MEMORY") && line.contains("option=memoryDirectory"));
        assertThat(output.lines().filter(line -> line.startsWith("small"))).containsOnly("small | 100000");
        // A worker points at pages that nobody reserved: reading them is a fault, and no worse than nonsense.
        assertThat(output).contains("beyond | CORRUPT_PEER | a worker points at memory that cannot be read");
        assertThat(output).contains("\nend\n");
    }

    @Test
    void memoryFull_atOpen_saysSoAndLeavesNothing() throws Exception {
        assumeMounts();
        assertThat(inSmallFileSystem("128k", "open"))
                .contains("OUT_OF_SHARED_MEMORY | ")
                .contains("option=memoryDirectory")
                .contains("\nend\n");
    }

    @Test
    void noDescriptors_inWorkerThenInHost_bothRecover() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no ulimit -n as on Linux");
        String output = under("ulimit -n 128", host("descriptors"));
        assertThat(output)
                // A worker without descriptors that still links its natives cannot load what that takes: it ends.
                .containsPattern("worker \\| (TASK_FAILED|WORKER_EXITED) .*")
                .contains("Too many open files")
                .contains("then | 1048576")
                .containsPattern("kept \\| (TASK_FAILED|WORKER_EXITED) .*")
                .contains("then | 3145728")
                .containsPattern(
                        "halt \\| WORKER_(EXITED|CRASHED) .*exitCode=7") // a class may be missing to say it well
                .containsPattern("waited \\| (2|.*STARTUP_FAILED)")
                .contains("replaced | 2")
                .contains("\nend\n");
    }

    @Test
    void noAddressSpace_atOpen_namesTheCeiling() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no ulimit -v as on Linux");
        assertThat(under("ulimit -v 8000000", host("ceiling")))
                .contains("OUT_OF_SHARED_MEMORY | ")
                .contains("option=payload.ceilingBytes")
                .contains("served | 2")
                .contains("\nend\n");
    }

    /** Root is not bound by it: another user, who must be able to read the class path. */
    @Test
    void noProcesses_atOpen_endsWithAReason() throws Exception {
        List<String> user = List.of("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups");
        List<String> probe = new ArrayList<>(user);
        probe.addAll(List.of("sh", "-c"));
        StringBuilder readable = new StringBuilder("true");
        for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            if (entry.contains("classes") || entry.endsWith("/m") || entry.endsWith("/t")) {
                readable.append(" && test -r '").append(entry).append('\'');
            }
        }
        probe.add(readable + " && echo yes");
        boolean can;
        try {
            can = run(probe).contains("yes");
        } catch (IOException e) {
            can = false;
        }
        assumeTrue(can, "no other user can be had, or it cannot read the class path");
        // How many threads a JVM takes is its own affair: the first number with which the host lives and a worker does
        // not.
        for (int processes = 21; ; processes += 3) {
            List<String> words = new ArrayList<>(user);
            words.addAll(List.of("prlimit", "--nproc=" + processes));
            words.addAll(host("processes"));
            String output = run(words);
            assertThat(output).as("with %d processes", processes).doesNotContain("served");
            if (output.contains("\nend\n")) {
                assertThat(output) // the rest is what the JVM or fork says
                        .contains("STARTUP_FAILED | ")
                        .containsPattern("[Tt]hread|Resource temporarily unavailable");
                return;
            }
        }
    }

    // ---- sizes

    @Test
    void results_ofEverySize_arriveOrSayWhatIsTooLarge() throws Exception {
        try (Pool pool = Pool.processes(1)
                .name("sizes")
                .jvm(jvm -> jvm.maxHeap("128m"))
                .payload(payload -> payload.maxBytes(CAP).ceilingBytes(2 * CAP))
                .open()) {
            for (int length : new int[] {0, 1, 511, 512, 513, CAP - 1, CAP}) {
                assertThat(pool.invoke(ContractTasks.MAKE_BYTES, length)).hasSize(length);
            }
            for (long length : new long[] {CAP + 1, (1L << 31) - 1, 1L << 31, (1L << 31) + 1}) {
                assertThatThrownBy(() -> pool.invoke(BoundTasks.MAKE_SEGMENT, length))
                        .as("result of %d", length)
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE))
                        .hasMessageContaining("payload.maxBytes");
                assertThatThrownBy(() -> pool.invoke(BoundTasks.LENGTH, BoundTasks.makeSegment(length)))
                        .as("argument of %d", length)
                        .hasMessageContaining("payload.maxBytes");
                assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            }
            // Shapes: what cannot cross says so, and the worker goes on.
            assertThatThrownBy(() -> pool.invoke(BoundTasks.DEEP, 100_000)).hasMessageContaining("nested too deeply");
            assertThatThrownBy(() -> pool.invoke(BoundTasks.CYCLE)).hasMessageContaining("cycle");
            assertThat(pool.invoke(BoundTasks.WIDE, 200_000)).hasSize(200_000);
            assertThatThrownBy(() -> pool.invoke(BoundTasks.WIDE, 1_000_000)).hasMessageContaining("payload.maxBytes");
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }

    // ---- output, grandchildren

    @Test
    void print_tensOfMegabytes_blocksNobodyAndStaysBounded() {
        AtomicLong lines = new AtomicLong();
        try (Pool pool = Pool.processes(1)
                .name("printing")
                .jvm(jvm -> jvm.maxHeap("64m"))
                .output((name, worker, line) -> lines.incrementAndGet())
                .open()) {
            assertThat(pool.invoke(BoundTasks.PRINT, 20_000)).isEqualTo(20_000);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            Watch.await("some output", () -> lines.get() > 100);
        }
    }

    @Test
    void halt_grandchildKeepsThePipe_callFailsAndThePoolGoesOn() throws Exception {
        Watch watch = Watch.start();
        try (Pool pool = Pool.processes(1)
                .name("grandchild")
                .jvm(jvm -> jvm.maxHeap("64m"))
                .open()) {
            assertThatThrownBy(() ->
                            pool.submit(BoundTasks.LEAVE_CHILD_AND_HALT, 300).get(40, TimeUnit.SECONDS))
                    .hasMessageContaining("exitCode=5");
            assertThat(pool.submit(ContractTasks.INC, 1L).get(40, TimeUnit.SECONDS))
                    .isEqualTo(2);
        }
        watch.assertNothingLeft();
    }

    // ---- many workers, one after the other

    /** {@code -Dbounds.recycled=10000} for the whole number. Threads: a process each would cost half a second. */
    @Test
    void recycle_manyWorkers_hostStaysFlat() {
        try (Pool pool = Pool.threads(2).name("recycled").recycleAfter(1).open(ContractTasks.INC)) {
            Snapshot before = null;
            for (int i = 0; i < RECYCLED; i++) {
                assertThat(pool.invoke(ContractTasks.INC, (long) i)).isEqualTo(i + 1);
                if (i == RECYCLED / 3) {
                    before = Snapshot.take();
                }
            }
            Snapshot after = Snapshot.take();
            assertThat(after.heap() - before.heap()).as("heap").isLessThan(4L << 20);
            assertThat(after.threads() - before.threads()).as("threads").isLessThan(8);
            assertThat(after.descriptors() - before.descriptors())
                    .as("descriptors")
                    .isLessThan(8);
            assertThat(after.mappings() - before.mappings()).as("mappings").isLessThan(40);
        }
    }

    private record Snapshot(long heap, int threads, int descriptors, long mappings) {
        static Snapshot take() {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            long mappings;
            try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
                mappings = maps.count();
            } catch (IOException e) {
                mappings = 0;
            }
            return new Snapshot(
                    runtime.totalMemory() - runtime.freeMemory(),
                    Collections.list(Collections.enumeration(
                                    Thread.getAllStackTraces().keySet()))
                            .size(),
                    Watch.descriptors(),
                    mappings);
        }
    }
}

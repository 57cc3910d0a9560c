package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Doorbells;
import dev.knitting.Memory;
import dev.knitting.observe.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** The report of {@code doctor}, on this machine and on made-up ones. */
final class DoctorTest {
    @TempDir
    Path root;

    @Test
    void doctor_json_isOneObjectWithAllSections() {
        CommandRun run = CommandRun.of(CountingPool.of(1), "doctor", "--json");
        assertThat(run.exitCode()).isZero();
        Map<String, Object> report = JSON.std.mapFrom(run.out());
        assertThat(report)
                .containsOnlyKeys("java", "machine", "limits", "sharedMemory", "doorbells", "sandbox", "defaults");
        assertThat(section(report, "java"))
                .containsEntry("version", Runtime.version().toString())
                .containsEntry("home", System.getProperty("java.home"));
        assertThat(section(report, "machine"))
                .containsEntry("cores", Runtime.getRuntime().availableProcessors());
    }

    @Test
    void doctor_text_namesEveryFact() {
        CommandRun run = CommandRun.of(CountingPool.of(1), "doctor");
        assertThat(run.exitCode()).isZero();
        DoctorReport.ofThisMachine().forEach((section, facts) -> {
            assertThat(run.out()).contains(section);
            assertThat(run.out()).contains(facts.keySet());
        });
        assertThat(run.out()).doesNotContain("null");
    }

    @Test
    void sections_fullMachine_readsItsFiles() throws IOException {
        write("proc/meminfo", "MemTotal:       16 kB\nMemAvailable:   8 kB\n");
        write("proc/self/cgroup", "0::/my.slice\n");
        write("sys/fs/cgroup/my.slice/memory.max", "1048576\n");
        write("sys/fs/cgroup/cpu.max", "200000 100000\n");
        write("proc/self/limits", """
            Limit                     Soft Limit           Hard Limit           Units
            Max open files            1024                 524288               files
            """);
        write("proc/self/status", "Name:\tjava\nNoNewPrivs:\t1\nSeccomp:\t2\n");
        write("sys/kernel/security/lsm", "capability,landlock,yama");
        var sections = new DoctorReport(new ProcFiles(root), true, Platform.probe()).sections();
        assertThat(sections.get("machine")).containsEntry("memoryBytes", 16384L);
        assertThat(sections.get("limits"))
                .containsEntry("cgroupMemory", "1048576")
                .containsEntry("cgroupCpu", "200000 100000")
                .containsEntry("openFiles", "1024 524288 files");
        assertThat(sections.get("sandbox"))
                .containsEntry("landlock", true)
                .containsEntry("seccomp", "filter")
                .containsEntry("noNewPrivileges", true);
        assertThat(sections.get("defaults"))
                .containsEntry("memory", "INHERITED")
                .containsEntry("doorbells", "FUTEX");
    }

    /** Nothing but Java. */
    private static final Platform BARE = new Platform(
            "Other",
            "any",
            1,
            false,
            Set.of(Memory.PORTABLE),
            Set.of(Doorbells.SOCKET),
            false,
            Memory.PORTABLE,
            Doorbells.SOCKET);

    @Test
    void sections_nothingToRead_saysUnknownInsteadOfNo() {
        var sections = new DoctorReport(new ProcFiles(root), false, BARE).sections();
        assertThat(sections.get("sandbox")).containsEntry("landlock", null).containsEntry("seccomp", null);
        assertThat(sections.get("limits")).containsEntry("cgroupMemory", null).containsEntry("openFiles", null);
        assertThat(sections.get("sharedMemory")).containsEntry("devShm", false).containsEntry("devShmBytes", null);
        assertThat(sections.get("defaults")).containsEntry("memory", "PORTABLE").containsEntry("doorbells", "SOCKET");
    }

    private void write(String file, String content) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> section(Map<String, Object> report, String name) {
        return (Map<String, Object>) report.get(name);
    }
}

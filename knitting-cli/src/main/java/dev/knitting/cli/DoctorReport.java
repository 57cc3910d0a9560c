package dev.knitting.cli;

import dev.knitting.Doorbells;
import dev.knitting.Pool;
import dev.knitting.observe.Platform;
import dev.knitting.observe.SandboxTable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Collects what {@code knit doctor} says: what the library probes ({@link Platform}), what Java knows, and {@code /proc} and
 * {@code /sys}. What cannot be found out is null.
 */
final class DoctorReport {
    private static final String LIMITS = "proc/self/limits";
    private static final String STATUS = "proc/self/status";

    private final ProcFiles files;
    private final boolean linux;
    private final Platform platform;

    DoctorReport(ProcFiles files, boolean linux, Platform platform) {
        this.files = files;
        this.linux = linux;
        this.platform = platform;
    }

    /** The report on the machine and the JVM that run this code: section, then name, then value. */
    static Map<String, Map<String, @Nullable Object>> ofThisMachine() {
        boolean linux =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux");
        return new DoctorReport(new ProcFiles(Path.of("/")), linux, Platform.probe()).sections();
    }

    Map<String, Map<String, @Nullable Object>> sections() {
        Map<String, Map<String, @Nullable Object>> sections = new LinkedHashMap<>();
        sections.put("java", java());
        sections.put("machine", machine());
        sections.put("limits", limits());
        sections.put("sharedMemory", sharedMemory());
        sections.put("doorbells", doorbells());
        sections.put("sandbox", sandbox());
        sections.put("defaults", defaults());
        return sections;
    }

    private Map<String, @Nullable Object> java() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("version", Runtime.version().toString());
        facts.put("vendor", System.getProperty("java.vendor"));
        facts.put("home", System.getProperty("java.home"));
        facts.put("launcher", Files.isExecutable(javaLauncher()));
        facts.put("vm", System.getProperty("java.vm.name"));
        facts.put("nativeAccess", platform.nativeAccess());
        // JEP 483 and 515: a cache of loaded classes and profiles. A worker's start is mostly class loading.
        facts.put("aotCache", Runtime.version().feature() >= 25 ? "supported by this JDK" : "needs JDK 25");
        facts.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
        return facts;
    }

    private static Path javaLauncher() {
        Path bin = Path.of(System.getProperty("java.home", "")).resolve("bin");
        return Files.exists(bin.resolve("java.exe")) ? bin.resolve("java.exe") : bin.resolve("java");
    }

    private Map<String, @Nullable Object> machine() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("os", System.getProperty("os.name"));
        facts.put("kernel", System.getProperty("os.version"));
        facts.put("arch", System.getProperty("os.arch"));
        facts.put("cores", platform.processors());
        facts.put("cpu", files.field("proc/cpuinfo", "model name\t").orElse(null));
        facts.put("loadAverage", files.text("proc/loadavg").orElse(null));
        facts.put("memoryBytes", orNull(files.kilobytes("proc/meminfo", "MemTotal")));
        facts.put("memoryAvailableBytes", orNull(files.kilobytes("proc/meminfo", "MemAvailable")));
        return facts;
    }

    private Map<String, @Nullable Object> limits() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        Optional<String> group = files.cgroup();
        facts.put("cgroup", group.orElse(null));
        facts.put("cgroupMemory", group.flatMap(g -> inGroup(g, "memory.max")).orElse(null));
        facts.put("cgroupCpu", group.flatMap(g -> inGroup(g, "cpu.max")).orElse(null));
        facts.put("cgroupProcesses", group.flatMap(g -> inGroup(g, "pids.max")).orElse(null));
        facts.put("openFiles", limit("Max open files"));
        facts.put("processes", limit("Max processes"));
        facts.put("lockedMemory", limit("Max locked memory"));
        facts.put("addressSpace", limit("Max address space"));
        return facts;
    }

    /** In a container the group's own folder is often mounted as the root of the hierarchy. */
    private Optional<String> inGroup(String group, String file) {
        return files.text(group + "/" + file).or(() -> files.text("sys/fs/cgroup/" + file));
    }

    /** Soft limit, hard limit and unit. */
    private @Nullable String limit(String name) {
        return files.field(LIMITS, name)
                .map(text -> String.join(" ", text.split("\\s+", -1)))
                .orElse(null);
    }

    private Map<String, @Nullable Object> sharedMemory() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("memfd", atLeastKernel(3, 17));
        facts.put("memfdNoexec", files.text("proc/sys/vm/memfd_noexec").orElse(null));
        Path shm = files.root().resolve("dev/shm");
        facts.put("devShm", Files.isDirectory(shm) && Files.isWritable(shm));
        facts.put("devShmBytes", space(shm, true));
        facts.put("devShmFreeBytes", space(shm, false));
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", ""));
        facts.put("temporaryFolder", temporary.toString());
        facts.put("temporaryFolderFreeBytes", space(temporary, false));
        facts.put(
                "hugePages",
                files.text("sys/kernel/mm/transparent_hugepage/shmem_enabled").orElse(null));
        return facts;
    }

    private Map<String, @Nullable Object> doorbells() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("futex", platform.doorbells().contains(Doorbells.FUTEX));
        facts.put("membarrier", platform.processBarrier());
        facts.put("unixSockets", platform.doorbells().contains(Doorbells.SOCKET));
        return facts;
    }

    private Map<String, @Nullable Object> sandbox() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        Optional<List<String>> modules = files.words("sys/kernel/security/lsm");
        facts.put("securityModules", modules.orElse(null));
        // The list needs a mounted securityfs; without it only a native call could tell.
        facts.put("landlock", modules.map(all -> all.contains("landlock")).orElse(null));
        facts.put(
                "seccompActions",
                files.words("proc/sys/kernel/seccomp/actions_avail").orElse(null));
        facts.put(
                "seccomp",
                files.field(STATUS, "Seccomp").map(DoctorReport::seccompMode).orElse(null));
        facts.put(
                "noNewPrivileges",
                files.field(STATUS, "NoNewPrivs").map("1"::equals).orElse(null));
        facts.put("effectiveCapabilities", files.field(STATUS, "CapEff").orElse(null));
        facts.put("landlockAbi", SandboxTable.landlockAbi());
        facts.put("default", "workers run the host's own code unrestricted, unless a sandbox is stated; map is strict");
        facts.put("levels", "of a stated sandbox, for process workers; thread workers cannot be restricted");
        facts.putAll(SandboxTable.probe());
        facts.put("workerMemory", SandboxTable.memoryLimit());
        return facts;
    }

    private static String seccompMode(String number) {
        return switch (number) {
            case "0" -> "not active";
            case "1" -> "strict";
            case "2" -> "filter";
            default -> number;
        };
    }

    private Map<String, @Nullable Object> defaults() {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("workers", Pool.processes().options().workers());
        facts.put("memory", platform.defaultMemory().name());
        facts.put("doorbells", platform.defaultDoorbells().name());
        return facts;
    }

    /** Whether this is Linux with a kernel of this or a later version; null if it cannot be told. */
    private @Nullable Boolean atLeastKernel(int major, int minor) {
        if (!linux) {
            return false;
        }
        String[] numbers = System.getProperty("os.version", "").split("[.-]", -1);
        try {
            int actual = Integer.parseInt(numbers[0]);
            return actual > major || (actual == major && Integer.parseInt(numbers[1]) >= minor);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return null;
        }
    }

    private static @Nullable Long space(Path folder, boolean total) {
        try {
            FileStore store = Files.getFileStore(folder);
            return total ? store.getTotalSpace() : store.getUsableSpace();
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Long orNull(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}

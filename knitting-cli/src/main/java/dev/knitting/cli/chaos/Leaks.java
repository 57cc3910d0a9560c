package dev.knitting.cli.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What this process holds, as the kernel counts it; null where there is no {@code /proc}.
 *
 * @param processes its living descendants
 * @param files entries of shared memory and temporary directory whose name says that they are this process's
 * @param descriptors its open files
 * @param mappings its mapped regions of shared segments
 */
record Leaks(
        long processes,
        long files,
        @Nullable Long descriptors,
        @Nullable Long mappings) {
    static Leaks count() throws IOException {
        Path own = Path.of("/proc/self");
        boolean hasProc = Files.isDirectory(own.resolve("fd"));
        return new Leaks(
                ProcessHandle.current().descendants().count(),
                countFiles(Path.of("/dev/shm")) + countFiles(Path.of(System.getProperty("java.io.tmpdir"))),
                hasProc ? countEntries(own.resolve("fd")) : null,
                hasProc ? countMappings(own.resolve("maps")) : null);
    }

    private static long countEntries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.count();
        }
    }

    private static long countFiles(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return 0;
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> isOwn(entry.getFileName().toString()))
                    .count();
        }
    }

    /** Other programs' files come and go. */
    private static boolean isOwn(String name) {
        long pid = ProcessHandle.current().pid();
        return name.startsWith("knit-" + Long.toString(pid, 36) + "-") || name.startsWith("knitting-" + pid + "-");
    }

    private static long countMappings(Path maps) throws IOException {
        try (Stream<String> lines = Files.lines(maps)) {
            return lines.filter(line -> line.contains("memfd:knit") || line.contains("/knit"))
                    .filter(line -> !line.endsWith(".jar"))
                    .count();
        }
    }

    /** How much more there is now than before; never below 0. */
    static long more(@Nullable Long before, @Nullable Long now) {
        return before == null || now == null ? 0 : Math.max(0, now - before);
    }
}

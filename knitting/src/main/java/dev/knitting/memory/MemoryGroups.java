package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Control groups for the workers of one pool, each with a limit of real memory. Made below the host's own group, version 1
 * or 2, where the host may do that: root usually may; others in a group that was delegated to them.
 *
 * <p>What a worker took before it was moved, in its first millisecond, stays with the host. Any thread.
 */
public final class MemoryGroups {
    private static final String PREFIX = "knitting-";
    private static final Path MOUNTS = Path.of("/sys/fs/cgroup");
    private static final Path OWN = Path.of("/proc/self/cgroup");
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    /** A group is empty for a moment before its worker is moved there. */
    private static final Duration LEAST_AGE = Duration.ofMinutes(1);

    private final Path parent;
    private final boolean second;
    private final long bytes;

    private MemoryGroups(Path parent, boolean second, long bytes) {
        this.parent = parent;
        this.second = second;
        this.bytes = bytes;
    }

    /**
     * Groups with this limit.
     *
     * @param bytes of one worker
     * @throws KnittingException {@link ErrorCode#UNSUPPORTED_PLATFORM} if no such group can be made here; tried, not guessed
     */
    public static MemoryGroups open(long bytes) {
        List<String> reasons = new ArrayList<>();
        MemoryGroups found = find(OWN, MOUNTS, bytes, reasons);
        if (found == null) {
            throw KnittingException.of(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "no control group can be made for a worker",
                    "missing",
                    reasons,
                    "option",
                    "resources.memory",
                    "alternative",
                    "commandPrefix(\"systemd-run\", ...), resources.addressSpace");
        }
        found.removeStale();
        return found;
    }

    /** How the memory of a worker can be limited here: for people. */
    public static String describe() {
        List<String> reasons = new ArrayList<>();
        MemoryGroups found = find(OWN, MOUNTS, 1L << 30, reasons);
        return found == null
                ? "unsupported: " + reasons
                : "exact: control groups, version " + (found.second ? 2 : 1) + ", below " + found.parent;
    }

    static @Nullable MemoryGroups find(Path ownGroups, Path mounts, long bytes, List<String> reasons) {
        try {
            for (String line : Files.readAllLines(ownGroups, StandardCharsets.UTF_8)) {
                String[] parts = line.split(":", 3);
                boolean second = parts.length == 3 && parts[0].equals("0");
                boolean first =
                        parts.length == 3 && List.of(parts[1].split(",", -1)).contains("memory");
                Path mount = second ? mounts : mounts.resolve("memory");
                Path own = first || second ? mount.resolve("." + parts[2]).normalize() : null;
                if (own == null) {
                    continue;
                }
                // Within a container the path of the outer group may not be there; its root then is.
                MemoryGroups candidate = new MemoryGroups(Files.isDirectory(own) ? own : mount, second, bytes);
                String reason = candidate.tryOut();
                if (reason.isEmpty()) {
                    return candidate;
                }
                reasons.add(reason);
            }
        } catch (IOException e) {
            reasons.add("no control groups: " + e);
        }
        if (reasons.isEmpty()) {
            reasons.add("no control groups");
        }
        return null;
    }

    /** Makes a group and takes it away again; what went wrong, or an empty text. */
    private String tryOut() {
        try {
            make().delete();
            return "";
        } catch (IOException e) {
            return e.toString();
        }
    }

    /**
     * A group for the next worker, empty yet.
     *
     * @throws IOException if the kernel refuses
     */
    public Group make() throws IOException {
        if (second
                && !Files.readString(parent.resolve("cgroup.subtree_control")).contains("memory")) {
            // Refused while the parent holds processes, unless it is the root.
            Files.writeString(parent.resolve("cgroup.subtree_control"), "+memory");
        }
        Path folder = parent.resolve(PREFIX + ProcessHandle.current().pid() + "-" + NUMBERS.incrementAndGet());
        Files.createDirectory(folder);
        Group group = new Group(folder, second);
        try {
            Files.writeString(folder.resolve(second ? "memory.max" : "memory.limit_in_bytes"), Long.toString(bytes));
            // Swap would be a way around it.
            group.writeIfThere(
                    second ? "memory.swap.max" : "memory.memsw.limit_in_bytes", second ? "0" : Long.toString(bytes));
            return group;
        } catch (IOException e) {
            group.delete();
            throw e;
        }
    }

    /** Groups of hosts that were killed. One that holds a process cannot be removed. */
    private void removeStale() {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(parent, PREFIX + "*-*")) {
            for (Path group : groups) {
                String[] name = group.getFileName().toString().split("-", -1);
                boolean old = Files.getLastModifiedTime(group)
                        .toInstant()
                        .isBefore(Instant.now().minus(LEAST_AGE));
                if (old && ProcessHandle.of(Long.parseLong(name[1])).isEmpty()) {
                    new Group(group, second).delete();
                }
            }
        } catch (IOException | NumberFormatException e) {
            log(System.Logger.Level.DEBUG, "stale control groups not looked for: " + parent, e);
        }
    }

    private static void log(System.Logger.Level level, String text, Exception reason) {
        System.getLogger("dev.knitting").log(level, text, reason);
    }

    /**
     * The group of one worker.
     *
     * @param folder in the tree of control groups
     * @param second whether of version 2
     */
    public record Group(Path folder, boolean second) {
        /**
         * Moves a process here; what it starts from now on is here too.
         *
         * @throws IOException if the kernel refuses
         */
        public void enter(long pid) throws IOException {
            Files.writeString(folder.resolve("cgroup.procs"), Long.toString(pid));
        }

        /** The file with the kernel's books about kills in this group. */
        public Path events() {
            return folder.resolve(second ? "memory.events" : "memory.oom_control");
        }

        private void writeIfThere(String name, String value) throws IOException {
            Path file = folder.resolve(name);
            if (Files.exists(file)) {
                Files.writeString(file, value);
            }
        }

        /** Removes it. One that still holds a process stays, for the next host. */
        public void delete() {
            try {
                Files.deleteIfExists(folder);
            } catch (FileSystemException e) {
                log(System.Logger.Level.DEBUG, "control group not removed: " + folder, e);
            } catch (IOException e) {
                log(System.Logger.Level.WARNING, "control group not removed: " + folder, e);
            }
        }
    }
}

package dev.knitting.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel's books say about processes that it killed because a control group was out of memory: the counter {@code
 * oom_kill} of the group that workers inherit from the host (version 2: {@code memory.events}, 1: {@code
 * memory.oom_control}).
 *
 * <p>The counter does not say whom it killed. So one count explains one worker that died of SIGKILL while it rose, and no
 * other; what rose before the last start of a worker explains nothing. A worker that a command prefix put into another
 * group is not explained at all: better no reason than a wrong one. Any thread.
 */
final class MemoryKills {
    private static final int SIGKILL_EXIT = 128 + 9;
    private static final String KEY = "oom_kill ";

    private final @Nullable Path events;
    /** Counts that are explained, or belong to nobody. */
    private long explained;

    MemoryKills(@Nullable Path events) {
        this.events = events;
        this.explained = count();
    }

    /** The books of the group that this process, and so its workers, belong to. */
    static MemoryKills ofThisProcess() {
        return new MemoryKills(Holder.EVENTS);
    }

    private static final class Holder {
        static final @Nullable Path EVENTS = find(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
    }

    /** The file with the counter, or null where there is none. */
    static @Nullable Path find(Path ownGroups, Path mounts) {
        try {
            for (String line : Files.readAllLines(ownGroups, StandardCharsets.UTF_8)) {
                String[] parts = line.split(":", 3);
                Path file = null;
                if (parts.length == 3 && parts[0].equals("0")) {
                    file = inGroup(mounts, parts[2], "memory.events");
                } else if (parts.length == 3 && List.of(parts[1].split(",", -1)).contains("memory")) {
                    file = inGroup(mounts.resolve("memory"), parts[2], "memory.oom_control");
                }
                if (file != null) {
                    return file;
                }
            }
        } catch (IOException | RuntimeException e) {
            LauncherLog.debug("control group of the host not found", e);
        }
        return null;
    }

    /** Within a container the path of the outer group may not be there; its root then is. */
    private static @Nullable Path inGroup(Path mount, String group, String name) {
        Path own = mount.resolve("." + group).normalize().resolve(name);
        if (Files.isReadable(own)) {
            return own;
        }
        Path root = mount.resolve(name);
        return Files.isReadable(root) ? root : null;
    }

    /** A worker starts: what happened before has nothing to do with it. */
    synchronized void sync() {
        explained = Math.max(explained, count());
    }

    /** Whether the kernel's books explain the end of a worker with this exit code; each count explains one. */
    synchronized boolean claim(int exitCode) {
        if (exitCode != SIGKILL_EXIT || count() <= explained) {
            return false;
        }
        explained++;
        return true;
    }

    private long count() {
        Path file = events;
        if (file == null) {
            return 0;
        }
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
                if (line.startsWith(KEY)) {
                    return Long.parseLong(line.substring(KEY.length()).trim());
                }
            }
        } catch (IOException | NumberFormatException e) {
            LauncherLog.debug("counter of memory kills not read: file=" + file, e);
        }
        return 0;
    }
}

package dev.knitting.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much memory this machine, or the container around it, has.
 *
 * <p>Linux: the smaller of {@code MemTotal} and the limits of the host's control groups (version 2 and 1). Elsewhere
 * four times the host's own largest heap, which is a quarter of the memory unless it was set.
 */
final class MachineMemory {
    private static final long MIB = 1L << 20;
    private static final long LEAST_HEAP_MIB = 64;

    private MachineMemory() {}

    /** Bytes. Found once. */
    static long totalBytes() {
        return Holder.TOTAL_BYTES;
    }

    /** The default largest heap of one worker, as a JVM option: half the memory divided by the workers, at least 64 MiB. */
    static String maxHeapOption(int workers) {
        return "-Xmx" + Math.max(LEAST_HEAP_MIB, totalBytes() / 2 / workers / MIB) + "m";
    }

    private static final class Holder {
        static final long TOTAL_BYTES = find();

        private static long find() {
            long least = Long.MAX_VALUE;
            try {
                for (String line : lines(Path.of("/proc/meminfo"))) {
                    if (line.startsWith("MemTotal:")) {
                        least = 1024 * Long.parseLong(digits(line));
                        break;
                    }
                }
                for (String line : lines(Path.of("/proc/self/cgroup"))) {
                    least = Math.min(least, groupLimit(line));
                }
            } catch (IOException | NumberFormatException e) {
                LauncherLog.debug("memory of the machine not read", e);
            }
            if (least < Long.MAX_VALUE) {
                return least;
            }
            long heap = Runtime.getRuntime().maxMemory();
            return heap > Long.MAX_VALUE / 4 ? heap : heap * 4;
        }

        private static String digits(String line) {
            int start = "MemTotal:".length();
            return line.substring(start, line.lastIndexOf('k')).trim();
        }

        /** The least limit from this group up to the root; {@code Long.MAX_VALUE} if there is none. */
        private static long groupLimit(String line) throws IOException {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                return Long.MAX_VALUE;
            }
            if (parts[0].equals("0")) {
                return limit(Path.of("/sys/fs/cgroup"), parts[2], "memory.max");
            }
            if (List.of(parts[1].split(",", -1)).contains("memory")) {
                return limit(Path.of("/sys/fs/cgroup/memory"), parts[2], "memory.limit_in_bytes");
            }
            return Long.MAX_VALUE;
        }

        private static long limit(Path root, String group, String file) throws IOException {
            long least = Long.MAX_VALUE;
            @Nullable Path path = Path.of(group).normalize();
            while (path != null) {
                Path limit = root.resolve("." + path).normalize().resolve(file);
                // Within a container the path of the outer group may not be there; its root then is.
                for (String line : lines(limit)) {
                    if (!line.equals("max")) {
                        least = Math.min(least, Long.parseLong(line.trim()));
                    }
                }
                path = path.getParent();
            }
            return least;
        }

        private static List<String> lines(Path file) throws IOException {
            return Files.isReadable(file)
                    ? List.of(new String(Files.readAllBytes(file), StandardCharsets.US_ASCII).split("\n"))
                    : List.of();
        }
    }
}

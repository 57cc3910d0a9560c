package dev.knitting.observe;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.memory.ObservedSegment;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds the pools that run on this machine (Linux), by the open files of their hosts in {@code /proc}: nothing is written
 * anywhere for it, and a pool cannot be forgotten or left behind in a list.
 *
 * <p>Who may look is the kernel's decision, the same as for a debugger that only reads: processes of the same user, and all
 * of them for root. The memory is mapped read-only. Any thread; a call takes some milliseconds a hundred processes.
 */
public final class RunningPools {
    private static final Path PROC = Path.of("/proc");

    private RunningPools() {}

    /**
     * All pools that this user may look at.
     *
     * @throws KnittingException {@link ErrorCode#UNSUPPORTED_PLATFORM} where there is no {@code /proc}
     */
    public static List<PoolSnapshot> find() {
        List<PoolSnapshot> pools = new ArrayList<>();
        for (long pid : processes()) {
            addPools(pid, pools);
        }
        return pools;
    }

    /**
     * The pools of one process; none if it does not exist, has none, or may not be looked at.
     *
     * @throws KnittingException {@link ErrorCode#UNSUPPORTED_PLATFORM} where there is no {@code /proc}
     */
    public static List<PoolSnapshot> of(long pid) {
        requireProc();
        List<PoolSnapshot> pools = new ArrayList<>();
        addPools(pid, pools);
        return pools;
    }

    private static void requireProc() {
        if (!Files.isDirectory(PROC.resolve("self/fd"))) {
            throw KnittingException.of(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "running pools are found through /proc, which only Linux has",
                    "os",
                    System.getProperty("os.name"));
        }
    }

    private static List<Long> processes() {
        requireProc();
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : all) {
                found.add(Long.parseLong(process.getFileName().toString()));
            }
        } catch (IOException e) {
            throw new KnittingException(
                    ErrorCode.UNSUPPORTED_PLATFORM, KnittingException.message("/proc cannot be read", "reason", e), e);
        }
        found.sort(null);
        return found;
    }

    private static void addPools(long pid, List<PoolSnapshot> to) {
        // By descriptor: the segments of one pool were opened one after the other.
        TreeMap<Integer, Path> segments = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
            for (Path file : files) {
                if (isSegment(file)) {
                    segments.put(Integer.parseInt(file.getFileName().toString()), file);
                }
            }
        } catch (IOException e) {
            return; // it has ended meanwhile, or belongs to somebody else
        }
        PoolReader reader = new PoolReader(pid);
        Set<Object> seen = new HashSet<>();
        for (Path file : segments.values()) {
            if (seen.add(identity(file))) {
                addSegment(file, reader);
            }
        }
        to.addAll(reader.pools());
    }

    /** A host has more than one descriptor of the same memory. */
    private static Object identity(Path file) {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return key == null ? file : key;
        } catch (IOException e) {
            return file; // closed meanwhile
        }
    }

    private static void addSegment(Path file, PoolReader reader) {
        try (ObservedSegment segment = ObservedSegment.open(file)) {
            reader.add(segment);
        } catch (IOException | RuntimeException | InternalError e) {
            return; // closed meanwhile; half-made, of another version, overwritten or truncated under our eyes
        }
    }

    /** Whether a descriptor leads to memory of a pool, by its name. What it holds is checked afterwards. */
    private static boolean isSegment(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/memfd:knitting")
                    || target.substring(target.lastIndexOf('/') + 1).startsWith("knitting-");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}

package dev.knitting.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes segment files whose host is dead: what a host leaves that was killed before any worker had attached.
 *
 * <p>A file is removed only if <b>both</b> hold:
 *
 * <ol>
 *   <li>its name says a process id and a start token, and no such process runs. The name is complete when the file
 *       appears, so there is no moment at which a new file looks like nobody's;
 *   <li>its life lock can be taken. A host holds it from creation to its end, and the kernel knows that also where
 *       process ids mean nothing: hosts in different containers may share a directory.
 * </ol>
 *
 * <p>Two cleaning hosts: one gets the lock and deletes, the other one goes on; names are never used again, so deleting
 * twice is harmless. A cleaning host against a creating one of another pid namespace: whoever gets the lock first wins,
 * and a creator that does not get it, or finds its file gone afterwards, creates another one ({@code FileSegment}).
 *
 * <p>Any thread may call. Host only.
 */
public final class StaleFiles {
    /** The byte that a host locks; beyond any data, since some systems forbid access to a locked range. */
    static final long LIFE_LOCK_POSITION = Long.MAX_VALUE - 1;

    private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();

    private StaleFiles() {}

    /** Cleans a directory once in the life of this JVM. Called before the first segment file is created there. */
    static void removeOnce(Path directory) {
        if (CLEANED.add(directory.toAbsolutePath())) {
            removeIn(directory);
        }
    }

    /**
     * Removes the stale files of a directory. One look at the directory, plus a few microseconds for each of our files
     * in it. What cannot be read or deleted (another user's) stays.
     *
     * @return how many files were removed
     */
    public static int removeIn(Path directory) {
        int removed = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, StaleFiles::isOfDeadHost)) {
            for (Path file : files) {
                if (removeUnlessLocked(file)) {
                    removed++;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Cleaning is a courtesy: a directory that cannot be read fails where the segment is created in it.
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "no cleaning of stale segment files", e);
        }
        return removed;
    }

    private static boolean isOfDeadHost(Path file) {
        SegmentName name = SegmentName.parse(String.valueOf(file.getFileName()));
        if (name == null || name.owner().startToken() == 0) {
            return false; // not ours, or an owner that could not tell when it started: never guess
        }
        return !HostLiveness.of(name.owner().pid(), name.owner().startToken()).isVisible();
    }

    private static boolean removeUnlessLocked(Path file) {
        // NOFOLLOW: in a shared directory a link with such a name could point at somebody's file.
        try (FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
                FileLock lock = channel.tryLock(LIFE_LOCK_POSITION, 1, false)) {
            return lock != null && Files.deleteIfExists(file);
        } catch (NoSuchFileException | OverlappingFileLockException e) {
            return false; // another cleaner was quicker
        } catch (IOException e) {
            return false; // another user's file, or no locks here: not provably dead
        }
    }
}

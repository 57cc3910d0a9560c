package dev.knitting.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Removes pool directories whose host is dead: what stays when a host and all its workers are killed at once, as a
 * container is.
 *
 * <p>The rule is that of {@link StaleFiles}: the name {@code knit-PID-START-TIME} (base 36) says an owner that does not
 * run, <b>and</b> the life lock on the file {@code owner} inside can be taken. Any thread. Host only.
 */
final class StaleDirectories {
    private static final String PREFIX = "knit-";
    private static final String OWNER = "owner";
    private static final int FIELDS = 3;
    private static final int RADIX = 36; // short: a socket's path has room for about 100 characters

    private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();

    private StaleDirectories() {}

    /** The name of a directory of this owner. */
    static String name(ProcessIdentity owner, long time) {
        return PREFIX
                + Long.toString(owner.pid(), RADIX)
                + "-"
                + Long.toString(owner.startToken(), RADIX)
                + "-"
                + Long.toUnsignedString(time, RADIX);
    }

    /** Marks a directory as in use, until the channel is closed or this process ends. */
    static FileChannel own(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve(OWNER), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            lock(channel);
        } catch (IOException e) {
            // A file system without locks: then nobody takes the directory for stale either.
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "no life lock: " + directory, e);
        }
        return channel;
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        return channel.tryLock(StaleFiles.LIFE_LOCK_POSITION, 1, false);
    }

    /** Cleans a directory once in the life of this JVM. */
    static void removeOnce(Path parent) {
        if (CLEANED.add(parent.toAbsolutePath())) {
            removeIn(parent);
        }
    }

    /**
     * Removes the stale directories in a directory.
     *
     * @return how many
     */
    static int removeIn(Path parent) {
        int removed = 0;
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : directories) {
                if (isOfDeadHost(directory) && removeUnlessLocked(directory)) {
                    removed++;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "no cleaning of stale directories", e);
        }
        return removed;
    }

    private static boolean isOfDeadHost(Path directory) {
        String[] fields =
                directory.getFileName().toString().substring(PREFIX.length()).split("-", -1);
        if (fields.length != FIELDS || !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try {
            long token = Long.parseLong(fields[1], RADIX);
            return token > 0
                    && !HostLiveness.of(Long.parseLong(fields[0], RADIX), token).isVisible();
        } catch (NumberFormatException e) {
            return false; // somebody else's
        }
    }

    private static boolean removeUnlessLocked(Path directory) {
        try (FileChannel channel = FileChannel.open(
                        directory.resolve(OWNER), Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
                FileLock lock = lock(channel)) {
            if (lock == null) {
                return false;
            }
            PrivateDirectory.delete(directory);
            return true;
        } catch (IOException | OverlappingFileLockException e) {
            return false; // another user's, another cleaner's, or without its mark: not provably dead
        }
    }
}

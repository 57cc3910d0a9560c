package dev.knitting.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes the names of segment files and sockets when the host exits with pools still open: its workers are killed then
 * and cannot. One shutdown hook for all, registered with the first. Any thread.
 */
public final class FilesAtExit {
    private static final Set<FileSegment> OPEN = ConcurrentHashMap.newKeySet();
    private static final Set<Path> FILES = ConcurrentHashMap.newKeySet();

    static {
        try {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(null, FilesAtExit::unlinkAll, "knitting-exit-files", 0, false));
        } catch (IllegalStateException e) {
            // The host is exiting already: no worker can be started, and the next host removes the file.
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "segment created while exiting", e);
        }
    }

    private FilesAtExit() {}

    static void add(FileSegment segment) {
        OPEN.add(segment);
    }

    static void remove(FileSegment segment) {
        OPEN.remove(segment);
    }

    /** Deletes a file at exit, and then the directory in which it was alone. */
    public static void add(Path onlyFileInDirectory) {
        FILES.add(onlyFileInDirectory);
    }

    /** The file is deleted already. */
    public static void remove(Path onlyFileInDirectory) {
        FILES.remove(onlyFileInDirectory);
    }

    private static void unlinkAll() {
        OPEN.forEach(FileSegment::unlink);
        FILES.forEach(FilesAtExit::delete);
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(Objects.requireNonNull(file.getParent()));
        } catch (IOException e) {
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "file not deleted at exit: " + file, e);
        }
    }
}

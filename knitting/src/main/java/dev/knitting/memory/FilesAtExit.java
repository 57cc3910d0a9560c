package dev.knitting.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes the names of segment files and the directories of pools when the host exits with pools still open: its workers are killed then
 * and cannot. One shutdown hook for all, registered with the first. Any thread.
 */
final class FilesAtExit {
    private static final Set<FileSegment> OPEN = ConcurrentHashMap.newKeySet();
    private static final Set<PrivateDirectory> DIRECTORIES = ConcurrentHashMap.newKeySet();

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

    static void add(PrivateDirectory directory) {
        DIRECTORIES.add(directory);
    }

    static void remove(PrivateDirectory directory) {
        DIRECTORIES.remove(directory);
    }

    private static void unlinkAll() {
        OPEN.forEach(FileSegment::unlink);
        DIRECTORIES.forEach(PrivateDirectory::close);
    }
}

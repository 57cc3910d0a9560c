package dev.knitting.worker;

import java.io.File;
import org.jspecify.annotations.Nullable;

/** The files of a host that died without deleting them. */
final class HostFiles {
    /** What every directory that a pool makes begins with. */
    private static final String PREFIX = "knit";

    private HostFiles() {}

    /**
     * Deletes a directory that a pool made, and its files. Other workers may be doing the same: what is gone is no error,
     * and what cannot be deleted stays for the next host.
     *
     * @param directory holds no directories; null or one of another name is left alone
     */
    static void delete(@Nullable File directory) {
        if (directory == null || !directory.getName().startsWith(PREFIX)) {
            return;
        }
        File[] files = directory.listFiles();
        if (files == null) {
            return; // gone already
        }
        for (File file : files) {
            deleteIfThere(file);
        }
        deleteIfThere(directory);
    }

    private static void deleteIfThere(File file) {
        if (!file.delete() && file.exists()) {
            System.err.println("file of a dead host not deleted: file=".concat(file.toString()));
        }
    }
}

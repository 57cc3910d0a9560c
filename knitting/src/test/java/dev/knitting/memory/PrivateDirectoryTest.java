package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What workers left is deleted, whatever it is. */
@Timeout(60)
class PrivateDirectoryTest {
    /** With one frame or more, and one descriptor, for each folder it would not do. */
    private static final long SMALL_STACK = 256 * 1024;

    @TempDir
    Path parent;

    @Test
    void delete_foldersWithoutEnd_byTwoAtOnce_needsLittleStackAndLeavesNothing() throws Exception {
        Path directory = Files.createDirectory(parent.resolve("d"));
        Path outside = Files.writeString(parent.resolve("kept"), "x");
        Path inner = directory;
        while (inner.toString().length() < 3_900) {
            inner = Files.createDirectory(inner.resolve("d"));
        }
        Files.createSymbolicLink(inner.resolve("l"), parent);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        Runnable delete = () -> {
            try {
                PrivateDirectory.delete(directory);
            } catch (Throwable e) {
                failures.add(e);
            }
        };
        Thread one = new Thread(null, delete, "one", SMALL_STACK);
        Thread other = new Thread(null, delete, "other", SMALL_STACK);
        one.start();
        other.start();
        one.join();
        other.join();
        assertThat(failures).isEmpty();
        assertThat(directory).doesNotExist();
        assertThat(outside).exists();
    }
}

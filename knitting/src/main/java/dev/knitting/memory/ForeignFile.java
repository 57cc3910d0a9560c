package dev.knitting.memory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A file in a folder where somebody who is not trusted writes: a sandboxed worker's crash report. In its place may be a
 * link to a file that only the host may read, a pipe that nobody writes to, or more than memory holds. Any thread.
 */
public final class ForeignFile {
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    private ForeignFile() {}

    /**
     * The first bytes of a regular file; none if there is no such file, or something else in its place.
     *
     * @param most how many, at most
     */
    public static byte[] head(Path file, int most) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return new byte[0];
        }
        if (!NativeAccess.enabled()) {
            // Then nothing is restricted either.
            try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                return in.readNBytes(most);
            }
        }
        // It may have been changed since it was looked at, by processes that the worker started.
        int descriptor = LinuxCalls.open(file.toString(), LinuxCalls.NO_FOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0) {
            throw new IOException("not opened: errno=" + -descriptor + ", file=" + file);
        }
        Path opened = Path.of("/proc/self/fd/" + descriptor);
        try {
            if (!Files.isRegularFile(opened)) {
                return new byte[0];
            }
            try (InputStream in = Files.newInputStream(opened)) {
                return in.readNBytes(most);
            }
        } finally {
            LinuxCalls.close(descriptor);
        }
    }
}

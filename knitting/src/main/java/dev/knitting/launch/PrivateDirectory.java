package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A temporary directory that only this user can enter (0700), for one pool's files. Flat: no directories inside. */
final class PrivateDirectory implements AutoCloseable {

    private final Path path;

    private PrivateDirectory(Path path) {
        this.path = path;
    }

    /** Makes one below {@code java.io.tmpdir}. */
    static PrivateDirectory create() {
        try {
            // 0700 is what createTempDirectory gives where files have POSIX permissions.
            PrivateDirectory directory = new PrivateDirectory(Files.createTempDirectory("knitting-"));
            HostExit.add(directory);
            return directory;
        } catch (IOException e) {
            throw failure("temporary directory for worker start files not made", e);
        }
    }

    private static KnittingException failure(String what, IOException cause) {
        String message = KnittingException.message(
                what, "reason", cause, "property", "java.io.tmpdir", "value", System.getProperty("java.io.tmpdir"));
        return new KnittingException(ErrorCode.STARTUP_FAILED, message, cause);
    }

    Path path() {
        return path;
    }

    /** Writes a file that only this user can read (0600), and the directory as well if somebody tidied it away. */
    void write(Path file, byte[] content) {
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] fileMode = posix ? mode("rw-------") : new FileAttribute<?>[0];
        FileAttribute<?>[] directoryMode = posix ? mode("rwx------") : new FileAttribute<?>[0];
        try {
            if (!Files.exists(path)) {
                Files.createDirectory(path, directoryMode);
            }
            try (var channel = Files.newByteChannel(
                    file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), fileMode)) {
                ByteBuffer bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        } catch (IOException e) {
            throw failure("worker start file not written", e);
        }
    }

    private static FileAttribute<?>[] mode(String permissions) {
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    /** Deletes it and its files. What cannot be deleted is logged and left. */
    @Override
    public void close() {
        HostExit.remove(this);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(path);
        } catch (NoSuchFileException e) {
            LauncherLog.debug("worker start files already gone", e);
        } catch (IOException e) {
            LauncherLog.warning("worker start files not deleted: directory=" + path, e);
        }
    }
}

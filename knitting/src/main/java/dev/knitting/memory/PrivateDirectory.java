package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A temporary directory that only this user can enter (0700), for one pool's files.
 *
 * <p>Deleted by {@link #close}, at exit, by the workers of a host that was killed, or, if those were killed with it, by
 * the next host ({@link StaleDirectories}).
 */
public final class PrivateDirectory implements AutoCloseable {
    private static final int MAX_ATTEMPTS = 100;
    /** Of folders that are opened within each other while they are deleted. */
    private static final int MAX_DEPTH = 32;
    /** Children of a worker may go on making files. */
    private static final long LONGEST_DELETION_NANOS = 10_000_000_000L;

    private final Path path;
    private final FileChannel owner;
    /** Guarded by this: a worker that starts while the host exits must not bring back what was deleted. */
    private boolean closed;

    private PrivateDirectory(Path path, FileChannel owner) {
        this.path = path;
        this.owner = owner;
    }

    /**
     * Makes one below {@code java.io.tmpdir}.
     *
     * <p>The name need not be hard to guess: making a directory fails if anything of that name is there, be it a link,
     * and then the next name is tried. So no random generator, whose start costs 30 ms, has to be waited for.
     *
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if it cannot be made
     */
    public static PrivateDirectory create() {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        StaleDirectories.removeOnce(parent);
        ProcessIdentity self = ProcessIdentity.current();
        for (int attempt = 0; ; attempt++) {
            Path path = parent.resolve(StaleDirectories.name(self, System.nanoTime()));
            try {
                Files.createDirectory(path, mode(path, "rwx------"));
                PrivateDirectory directory = new PrivateDirectory(path, StaleDirectories.own(path));
                FilesAtExit.add(directory);
                return directory;
            } catch (FileAlreadyExistsException e) {
                if (attempt == MAX_ATTEMPTS) {
                    throw failure("temporary directory of a pool not made", e);
                }
            } catch (IOException e) {
                throw failure("temporary directory of a pool not made", e);
            }
        }
    }

    private static KnittingException failure(String what, IOException cause) {
        String message = KnittingException.message(
                what, "reason", cause, "property", "java.io.tmpdir", "value", System.getProperty("java.io.tmpdir"));
        return new KnittingException(ErrorCode.STARTUP_FAILED, message, cause);
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /**
     * Writes a file that only this user can read (0600), and the directory as well if somebody tidied it away.
     *
     * @throws KnittingException {@link ErrorCode#POOL_CLOSED} after closing; {@link ErrorCode#STARTUP_FAILED} if it cannot
     *     be written
     */
    public synchronized void write(Path file, byte[] content) {
        if (closed) {
            throw KnittingException.of(
                    ErrorCode.POOL_CLOSED, "worker start file not written: closed", "directory", path);
        }
        try {
            if (!Files.exists(path)) {
                Files.createDirectory(path, mode(path, "rwx------"));
            }
            try (var channel = Files.newByteChannel(
                    file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode(file, "rw-------"))) {
                ByteBuffer bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        } catch (IOException e) {
            throw failure("worker start file not written", e);
        }
    }

    /**
     * Makes a folder inside that only this user can enter.
     *
     * @throws KnittingException {@link ErrorCode#POOL_CLOSED} after closing; {@link ErrorCode#STARTUP_FAILED} if it cannot
     *     be made
     */
    public synchronized Path makeFolder(String name) {
        if (closed) {
            throw KnittingException.of(ErrorCode.POOL_CLOSED, "folder of a worker not made: closed", "directory", path);
        }
        try {
            Path folder = path.resolve(name);
            return Files.createDirectory(folder, mode(folder, "rwx------"));
        } catch (IOException e) {
            throw failure("folder of a worker not made", e);
        }
    }

    /** Nothing where files have no such permissions: a user's temporary directory is private there. */
    private static FileAttribute<?>[] mode(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** Deletes it and its files. What cannot be deleted is logged and left. */
    @Override
    public synchronized void close() {
        closed = true;
        FilesAtExit.remove(this);
        try {
            owner.close();
            delete(path);
        } catch (IOException e) {
            System.getLogger("dev.knitting")
                    .log(System.Logger.Level.WARNING, "files of a pool not deleted: directory=" + path, e);
        }
    }

    /**
     * Deletes a directory and all in it, but never what a link in it leads to, even if somebody changes the directory
     * meanwhile. What is gone already is no error. However deep its folders are, a few descriptors suffice.
     */
    static void delete(Path directory) throws IOException {
        long begin = System.nanoTime();
        while (true) {
            try {
                deleteRound(directory);
                return;
            } catch (NoSuchFileException e) {
                return; // somebody tidied it away
            } catch (DirectoryNotEmptyException e) {
                // What lay too deep is nearer now, or somebody else deletes too and moved something here.
                if (System.nanoTime() - begin > LONGEST_DELETION_NANOS) {
                    throw e;
                }
            }
        }
    }

    private static void deleteRound(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            if (files instanceof SecureDirectoryStream<Path> secure) {
                deleteIn(secure, secure, 0);
            } else {
                for (Path file : files) {
                    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                        delete(file);
                    } else {
                        Files.deleteIfExists(file);
                    }
                }
            }
        }
        Files.deleteIfExists(directory);
    }

    /** Deletes what is in a folder; what lies too deep is moved to the top. */
    private static void deleteIn(SecureDirectoryStream<Path> folder, SecureDirectoryStream<Path> top, int depth)
            throws IOException {
        for (Path entry : folder) {
            Path name = entry.getFileName();
            try {
                if (!isFolder(folder, name)) {
                    folder.deleteFile(name);
                } else if (depth == MAX_DEPTH) {
                    folder.move(name, top, Path.of("deep-" + System.nanoTime()));
                } else {
                    try (SecureDirectoryStream<Path> inner =
                            folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                        deleteIn(inner, top, depth + 1);
                    }
                    folder.deleteDirectory(name);
                }
            } catch (NoSuchFileException | DirectoryNotEmptyException e) {
                // Somebody else deletes too; what is left keeps the directory, and so comes another round.
            }
        }
    }

    private static boolean isFolder(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        return folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .isDirectory();
    }

    /** As {@link #close} for a folder inside, whose worker has ended; what cannot be deleted goes with the rest. */
    public static void deleteQuietly(Path folder) {
        try {
            delete(folder);
        } catch (IOException e) {
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "folder not deleted yet: " + folder, e);
        }
    }
}

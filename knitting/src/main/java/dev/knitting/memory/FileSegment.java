package dev.knitting.memory;

import dev.knitting.Memory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The host's side of a segment that is a file: named memory (meant for {@code /dev/shm}) and portable memory (the
 * temporary directory). Only its owner may open it, and its name cannot be guessed.
 *
 * <p>Life of the file: created empty with its final permissions; locked by the host as a sign of life ({@link
 * StaleFiles}); mapped; its name removed by {@link #unlink()} or at close, at the host's exit, by the dying workers if it is killed,
 * or by the next host that starts in this directory.
 */
final class FileSegment extends SharedSegment {
    private static final int MAX_ATTEMPTS = 16;

    private final Memory kind;
    private final Path path;
    private boolean isClosed;

    private FileSegment(MappedFile file, Memory kind, Path path) {
        super(file);
        this.kind = kind;
        this.path = path;
    }

    /** Declared as the general type, so that checking the caller does not load this class in a worker. */
    static SharedSegment ofLength(Memory kind, long length, @Nullable Path directory) {
        Path place = directory != null ? directory : defaultDirectory(kind);
        StaleFiles.removeOnce(place);
        try {
            for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
                FileSegment segment = tryCreate(kind, length, place);
                if (segment != null) {
                    return segment;
                }
            }
            throw new IOException("new files vanish: attempts=" + MAX_ATTEMPTS);
        } catch (IOException e) {
            throw CreatedSegments.outOfMemory("segment file cannot be created", kind, place.toString(), length, e);
        }
    }

    /** One attempt under a fresh name; null if a cleaning host of another pid namespace took the file for a dead one. */
    private static @Nullable FileSegment tryCreate(Memory kind, long length, Path place) throws IOException {
        Path path = place.resolve(SegmentName.create().text()).toAbsolutePath();
        createEmpty(path);
        MappedFile file = null;
        try {
            file = MappedFile.create(path.toString(), length);
            if (showLife(file) && Files.exists(path)) {
                FileSegment segment = new FileSegment(file, kind, path);
                FilesAtExit.add(segment);
                return segment;
            }
            CreatedSegments.close(file);
            Files.deleteIfExists(path);
            return null;
        } catch (Throwable failure) {
            if (file != null) {
                CreatedSegments.close(file);
            }
            Files.deleteIfExists(path);
            throw failure;
        }
    }

    private static void createEmpty(Path path) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        boolean isPosix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] ownerOnly = isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        FileChannel.open(path, options, ownerOnly).close();
    }

    /**
     * Locks one byte beyond any data; the operating system unlocks it when this process ends, however it ends.
     *
     * @return false if somebody else holds that lock: a cleaning host that is about to delete the file
     */
    private static boolean showLife(MappedFile file) {
        try {
            FileLock lock = file.openFile().getChannel().tryLock(StaleFiles.LIFE_LOCK_POSITION, 1, false);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // held by a cleaning thread of this JVM
        } catch (IOException e) {
            return true; // a file system without locks: nobody can take one there, so nobody deletes
        }
    }

    private static Path defaultDirectory(Memory kind) {
        Path sharedMemory = Path.of("/dev/shm");
        if (kind == Memory.NAMED && Files.isDirectory(sharedMemory) && Files.isWritable(sharedMemory)) {
            return sharedMemory;
        }
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** The file, for tests. */
    Path path() {
        return path;
    }

    @Override
    public Memory kind() {
        return kind;
    }

    @Override
    public void reserve(long offset, long bytes) {
        Path directory = path.getParent();
        CreatedSegments.reserve(file(), kind, String.valueOf(directory), offset, bytes);
    }

    @Override
    public synchronized Handover handover() {
        if (isClosed) {
            throw new IllegalStateException("segment is closed: kind=" + kind);
        }
        String prefix = kind == Memory.NAMED ? AttachedSegment.NAMED_PREFIX : AttachedSegment.PORTABLE_PREFIX;
        return new Handover(null, prefix.concat(path.toString()));
    }

    @Override
    public void unlink() {
        path.toFile().delete(); // false: already gone, or mapped on a system that then forbids it, until close
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        CreatedSegments.close(file());
        unlink();
        FilesAtExit.remove(this);
        isClosed = true;
    }
}

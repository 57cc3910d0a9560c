package dev.knitting.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * An open file and its one mapping. The host's is open for writing zeros; a worker's is closed once it is mapped.
 *
 * <p>Zeros are written through {@link RandomAccessFile}, not through a channel: an interrupted thread that uses a
 * channel closes it for everybody, and callers with a pending interrupt do reserve memory.
 */
final class MappedFile {
    private static final int ZEROS_BYTES = 64 * 1024;

    private final Arena arena;
    private final MemorySegment memory;
    private final @Nullable RandomAccessFile file;

    private MappedFile(Arena arena, MemorySegment memory, @Nullable RandomAccessFile file) {
        this.arena = arena;
        this.memory = memory;
        this.file = file;
    }

    /** Zeros to write from. A class of its own: a worker never writes any. */
    private static final class Zeros {
        static final byte[] BYTES = new byte[ZEROS_BYTES];

        private Zeros() {}
    }

    /** Sets the length of an existing file, without pages, and maps it. */
    static MappedFile create(String path, long length) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return tryCreate(path, length);
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted(); // mapping goes through a channel; see above
                }
            }
        } finally {
            restoreInterrupt(interrupted);
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // the arena is the mapping's, closed with it
    private static MappedFile tryCreate(String path, long length) throws IOException {
        RandomAccessFile file = new RandomAccessFile(path, "rw");
        Arena arena = Arena.ofShared();
        try {
            file.setLength(length);
            MemorySegment memory = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
            return new MappedFile(arena, memory, file);
        } catch (Throwable failure) {
            arena.close();
            file.close();
            throw failure;
        }
    }

    /** Maps all of an existing file, and never creates one: the name may be gone by now. */
    static MappedFile attach(String path) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return tryAttach(path);
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            restoreInterrupt(interrupted);
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // the arena is the mapping's, closed with it
    private static MappedFile tryAttach(String path) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Arena arena = Arena.ofShared();
            try {
                MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
                return new MappedFile(arena, memory, null);
            } catch (Throwable failure) {
                arena.close();
                throw failure;
            }
        }
    }

    MemorySegment memory() {
        return memory;
    }

    /** The open file of the host. */
    RandomAccessFile openFile() {
        if (file == null) {
            throw new UnsupportedOperationException("segment is attached, only its host can do this");
        }
        return file;
    }

    /** Writes zeros to exactly this range. */
    void writeZeros(long offset, long bytes) throws IOException {
        RandomAccessFile target = openFile();
        synchronized (target) { // the position is the file's, not the thread's
            target.seek(offset);
            long left = bytes;
            while (left > 0) {
                int chunk = (int) Math.min(left, ZEROS_BYTES);
                target.write(Zeros.BYTES, 0, chunk);
                left -= chunk;
            }
        }
    }

    boolean isOpen() {
        return arena.scope().isAlive();
    }

    /** Unmaps, then closes the file; in this order, since some systems delete only files that nobody maps. */
    synchronized void close() throws IOException {
        if (arena.scope().isAlive()) {
            arena.close();
        }
        if (file != null) {
            file.close();
        }
    }

    private static void restoreInterrupt(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

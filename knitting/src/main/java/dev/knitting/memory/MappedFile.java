package dev.knitting.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * An open file and its one mapping; open for writing zeros.
 *
 * <p>An interrupted thread that uses a channel closes it for everybody, and callers with a pending interrupt do reserve
 * memory. So the host writes zeros through a {@link RandomAccessFile}, which knows no interrupts; a worker, whose file
 * may have no name any more, through its channel but on a thread of its own.
 */
final class MappedFile {
    private static final int ZEROS_BYTES = 64 * 1024;

    private final Arena arena;
    private final MemorySegment memory;
    private final @Nullable RandomAccessFile file;
    private final @Nullable FileChannel channel;

    private MappedFile(
            Arena arena, MemorySegment memory, @Nullable RandomAccessFile file, @Nullable FileChannel channel) {
        this.arena = arena;
        this.memory = memory;
        this.file = file;
        this.channel = channel;
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

    @SuppressWarnings("MustBeClosedChecker") // the file stays open as long as this object
    private static MappedFile tryCreate(String path, long length) throws IOException {
        RandomAccessFile file = new RandomAccessFile(path, "rw");
        Arena arena = Arena.ofShared();
        try {
            file.setLength(length);
            MemorySegment memory = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
            return new MappedFile(arena, memory, file, null);
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

    @SuppressWarnings("MustBeClosedChecker") // the channel stays open as long as this object
    private static MappedFile tryAttach(String path) throws IOException {
        FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
            return new MappedFile(arena, memory, null, channel);
        } catch (Throwable failure) {
            arena.close();
            channel.close();
            throw failure;
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
        if (channel != null) {
            ChannelZeros.write(channel, offset, bytes);
            return;
        }
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

    /** Writes on a thread that nobody interrupts; rare: an arena grows in large steps. */
    private static final class ChannelZeros implements Runnable {
        private final FileChannel channel;
        private final long offset;
        private final long bytes;
        private @Nullable Throwable failure;

        private ChannelZeros(FileChannel channel, long offset, long bytes) {
            this.channel = channel;
            this.offset = offset;
            this.bytes = bytes;
        }

        static void write(FileChannel channel, long offset, long bytes) throws IOException {
            ChannelZeros work = new ChannelZeros(channel, offset, bytes);
            Thread thread = new Thread(work, "knitting-reserve");
            thread.setDaemon(true);
            thread.start();
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            restoreInterrupt(interrupted);
            if (work.failure != null) {
                // Errors too (no direct memory): pages that were not reserved must never pass for reserved.
                throw new IOException(work.failure.getMessage(), work.failure);
            }
        }

        @Override
        public void run() {
            try {
                ByteBuffer zeros = ByteBuffer.wrap(Zeros.BYTES);
                long end = offset + bytes;
                for (long at = offset; at < end; ) {
                    zeros.clear().limit((int) Math.min(end - at, ZEROS_BYTES));
                    at += channel.write(zeros, at);
                }
            } catch (Throwable e) {
                failure = e;
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
        if (channel != null) {
            channel.close();
        }
    }

    private static void restoreInterrupt(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

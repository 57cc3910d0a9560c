package dev.knitting.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An open file and its mapping; open for writing zeros. A worker maps the whole only when it needs more than the windows
 * it starts with: to slice a segment loads what a starting worker has no time for.
 *
 * <p>An interrupted thread that uses a channel closes it for everybody, and callers with a pending interrupt do reserve
 * memory. So the host writes zeros through a {@link RandomAccessFile}, which knows no interrupts; a worker, whose file
 * may have no name any more, through its channel but on a thread of its own.
 */
final class MappedFile {
    private static final int ZEROS_BYTES = 64 * 1024;

    private final Arena arena;
    private final long length;
    private final @Nullable RandomAccessFile file;
    private final @Nullable FileChannel channel;
    private volatile @Nullable MemorySegment memory;

    private MappedFile(Arena arena, long length, @Nullable RandomAccessFile file, @Nullable FileChannel channel) {
        this.arena = arena;
        this.length = length;
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

    @SuppressWarnings("MustBeClosedChecker") // the arena lives as long as this object
    private static MappedFile tryCreate(String path, long length) throws IOException {
        RandomAccessFile file = new RandomAccessFile(path, "rw");
        Arena arena = Arena.ofShared();
        try {
            file.setLength(length);
            MappedFile mapped = new MappedFile(arena, length, file, null);
            mapped.memory = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
            return mapped;
        } catch (Throwable failure) {
            arena.close();
            file.close();
            throw failure;
        }
    }

    /**
     * Opens an existing file, and never creates one: the name may be gone by now. Maps nothing yet. A pending interrupt is
     * put off.
     */
    static MappedFile attach(String path) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return open(path);
        } finally {
            restoreInterrupt(interrupted);
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // the arena lives as long as this object
    private static MappedFile open(String path) throws IOException {
        FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            return new MappedFile(Arena.ofShared(), channel.size(), null, channel);
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    /** Length of the file. */
    long length() {
        return length;
    }

    /** The whole file; a worker maps it at the first call. */
    MemorySegment memory() {
        MemorySegment known = memory;
        return known != null ? known : mapAttached();
    }

    private synchronized MemorySegment mapAttached() {
        FileChannel source = channel;
        if (memory == null && source != null) {
            try {
                ChannelWork.run(() -> memory = source.map(FileChannel.MapMode.READ_WRITE, 0, length, arena));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return Objects.requireNonNull(memory);
    }

    /** A part of the file. A worker that starts maps it on its own. */
    ByteBuffer window(long offset, long bytes) throws IOException {
        FileChannel source = channel;
        MemorySegment part = source != null
                ? source.map(FileChannel.MapMode.READ_WRITE, offset, bytes, arena)
                : memory().asSlice(offset, bytes);
        return part.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** A mapping of its own, on a thread that nobody interrupts. */
    MemorySegment map(long offset, long bytes, Arena lifetime) throws IOException {
        FileChannel source = channel != null ? channel : openFile().getChannel();
        MemorySegment[] mapped = new MemorySegment[1];
        ChannelWork.run(() -> mapped[0] = source.map(FileChannel.MapMode.READ_WRITE, offset, bytes, lifetime));
        return mapped[0];
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
            FileChannel target = channel;
            ChannelWork.run(() -> writeZeros(target, offset, bytes));
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

    private static void writeZeros(FileChannel target, long offset, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.wrap(Zeros.BYTES);
        long end = offset + bytes;
        for (long at = offset; at < end; ) {
            zeros.clear().limit((int) Math.min(end - at, ZEROS_BYTES));
            at += target.write(zeros, at);
        }
    }

    /** Uses a channel on a thread that nobody interrupts. Rare: the whole is mapped once, an arena grows in large steps. */
    private static final class ChannelWork implements Runnable {
        /** What is done. */
        interface Step {
            void run() throws IOException;
        }

        private final Step step;
        private @Nullable Throwable failure;

        private ChannelWork(Step step) {
            this.step = step;
        }

        static void run(Step step) throws IOException {
            ChannelWork work = new ChannelWork(step);
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
                step.run();
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

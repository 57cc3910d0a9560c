package dev.knitting.memory;

import dev.knitting.KnittingException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A segment of somebody else, mapped read-only to be looked at. What is read is believed no more than a worker's words: it
 * is checked before it is used. One thread.
 */
public final class ObservedSegment implements AutoCloseable {
    private final Arena arena;
    private final MemorySegment memory;
    private final SegmentHeaderView header;

    private ObservedSegment(Arena arena, MemorySegment memory, SegmentHeaderView header) {
        this.arena = arena;
        this.memory = memory;
        this.header = header;
    }

    /**
     * Maps a file.
     *
     * @throws IOException if it cannot be opened
     * @throws KnittingException {@link dev.knitting.ErrorCode#LAYOUT_MISMATCH} if it is no segment of this version
     */
    @SuppressWarnings("MustBeClosedChecker") // by close(), or here if the segment is not made
    public static ObservedSegment open(Path file) throws IOException {
        Arena arena = Arena.ofConfined();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            return new ObservedSegment(arena, memory, SegmentHeaderView.attach(memory));
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** The whole segment, read-only. */
    public MemorySegment memory() {
        return memory;
    }

    /** Its header, which was checked. */
    public SegmentHeaderView header() {
        return header;
    }

    /**
     * The table of tasks, or another one of its form.
     *
     * @throws IllegalArgumentException if the area is misplaced
     */
    public TaskTableReader table(long offset, long length) {
        return new TaskTableReader(memory, offset, length);
    }

    @Override
    public void close() {
        arena.close();
    }
}

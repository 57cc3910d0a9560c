package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A worker's side of the task table. Walks forward as far as it must and remembers where entries start; everything it
 * reads is read once, checked, then used.
 *
 * <p>Any thread may call; callers keep what they read, so the lock is not contended.
 */
public final class TaskTableReader {
    private static final int FIRST_CAPACITY = 32;

    private final ByteBuffer words;
    private final long length;

    private final Object lock = new Object();
    private long[] entries = new long[FIRST_CAPACITY];
    private int known;
    private long nextEntry = TaskTableLayout.ENTRIES_OFFSET;

    /**
     * Reads the table in an area of a segment.
     *
     * @param segment the segment
     * @param offset first byte of the area
     * @param length its bytes
     * @throws IllegalArgumentException if the area is misplaced
     */
    public TaskTableReader(SharedSegment segment, long offset, long length) {
        TaskTableLayout.requireArea(segment.length(), offset, length);
        this.words = segment.window(offset, Math.toIntExact(length));
        this.length = length;
    }

    /** As the public one, for memory of another origin. */
    TaskTableReader(MemorySegment memory, long offset, long length) {
        TaskTableLayout.requireArea(memory.byteSize(), offset, length);
        this.words = memory.asSlice(offset, length).asByteBuffer().order(ByteOrder.nativeOrder());
        this.length = length;
    }

    /**
     * How many entries can be read now.
     *
     * @throws KnittingException {@link ErrorCode#CORRUPT_PEER} if the count is out of range
     */
    public int countAcquire() {
        // [task-announced: acquire] entries below the count are loaded after this
        int count = BufferWords.getIntAcquire(words, TaskTableLayout.COUNT_OFFSET);
        if (count < 0 || count > TaskTableLayout.MAX_TASKS) {
            throw KnittingException.of(
                    ErrorCode.CORRUPT_PEER,
                    "task count out of range",
                    "count",
                    count,
                    "limit",
                    TaskTableLayout.MAX_TASKS);
        }
        return count;
    }

    /**
     * A copy of an entry.
     *
     * @param id its id; the host announces a task before it sends a call of it
     * @throws KnittingException {@link ErrorCode#TASK_NOT_FOUND} if there is no such entry, {@link
     *     ErrorCode#CORRUPT_PEER} if the table is damaged
     */
    public byte[] read(int id) {
        int count = countAcquire();
        if (id < 0 || id >= count) {
            throw KnittingException.of(ErrorCode.TASK_NOT_FOUND, "no such task", "task", id, "count", count);
        }
        synchronized (lock) {
            while (known <= id) {
                step();
            }
            long entry = entries[id];
            int bytes = lengthOf(entry);
            byte[] copy = new byte[bytes];
            words.get((int) (entry + TaskTableLayout.LENGTH_BYTES), copy);
            return copy;
        }
    }

    /** Learns where one more entry starts. */
    private void step() {
        int bytes = lengthOf(nextEntry);
        if (known == entries.length) {
            entries = Arrays.copyOf(entries, known * 2);
        }
        entries[known] = nextEntry;
        known++;
        nextEntry = TaskTableLayout.nextEntry(nextEntry, bytes);
    }

    /** The length word of an entry, checked against the area. */
    private int lengthOf(long entry) {
        long room = length - entry - TaskTableLayout.LENGTH_BYTES;
        int bytes = room < 0 ? -1 : BufferWords.getIntPlain(words, entry);
        if (bytes < 0 || bytes > room) {
            throw KnittingException.of(
                    ErrorCode.CORRUPT_PEER,
                    "task entry reaches beyond the table",
                    "task",
                    known,
                    "offset",
                    entry,
                    "bytes",
                    bytes,
                    "limit",
                    room);
        }
        return bytes;
    }
}

package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.ArrayList;
import java.util.List;

/**
 * The host's side of the table of tasks: append-only, so that tasks can be announced while workers run. What an entry
 * means is not known here.
 *
 * <p>Edge [task-announced]: the host stores the count with release after the entry; a worker that loads it with acquire
 * sees the whole entry. The host never reads back what is in shared memory.
 *
 * <p>Not thread-safe: one writer, or a lock of the caller's.
 */
public final class TaskTable {
    /** Most tasks of a table. */
    public static final int MAX_TASKS = TaskTableLayout.MAX_TASKS;

    private static final long RESERVE_BYTES = 64 * 1024;

    private final SharedSegment segment;
    private final long offset;
    private final long length;
    private long reserved;
    private long nextEntry = TaskTableLayout.ENTRIES_OFFSET;
    private int count;
    /** What was appended, to be written again. */
    private final List<byte[]> entries = new ArrayList<>();

    private TaskTable(SharedSegment segment, long offset, long length) {
        this.segment = segment;
        this.offset = offset;
        this.length = length;
    }

    /**
     * Starts an empty table in a fresh area.
     *
     * @param segment where
     * @param offset first byte of the area, a multiple of 128
     * @param length its bytes, at least 256; a ceiling: pages are reserved as the table grows
     * @throws IllegalArgumentException if the area is misplaced
     * @throws KnittingException {@link ErrorCode#OUT_OF_SHARED_MEMORY} if the memory is full
     */
    public static TaskTable create(SharedSegment segment, long offset, long length) {
        TaskTableLayout.requireArea(segment.length(), offset, length);
        TaskTable table = new TaskTable(segment, offset, length);
        table.reserveTo(TaskTableLayout.ENTRIES_OFFSET);
        return table;
    }

    /**
     * Appends an entry and makes it visible to workers.
     *
     * @param entry opaque bytes; not to be changed afterwards
     * @return its id: 0, 1, 2 and so on
     * @throws KnittingException {@link ErrorCode#TOO_MANY_TASKS} if the table or its area is full, {@link
     *     ErrorCode#OUT_OF_SHARED_MEMORY} if the memory is; the table is as before
     */
    public int append(byte[] entry) {
        long end = TaskTableLayout.nextEntry(nextEntry, entry.length);
        if (count == MAX_TASKS || end > length) {
            throw KnittingException.of(
                    ErrorCode.TOO_MANY_TASKS,
                    "task table is full",
                    "tasks",
                    count,
                    "limit",
                    MAX_TASKS,
                    "usedBytes",
                    nextEntry,
                    "entryBytes",
                    entry.length,
                    "limitBytes",
                    length);
        }
        reserveTo(end);
        write(entry, nextEntry);
        entries.add(entry);
        nextEntry = end;
        count++;
        publishCount();
        return count - 1;
    }

    /** Writes all entries again, over what a worker may have written there. Who reads meanwhile sees the same bytes. */
    public void restore() {
        long at = TaskTableLayout.ENTRIES_OFFSET;
        for (byte[] entry : entries) {
            write(entry, at);
            at = TaskTableLayout.nextEntry(at, entry.length);
        }
        publishCount();
    }

    private void write(byte[] entry, long place) {
        long at = offset + place;
        SharedWords.setIntPlain(segment.memory(), at, entry.length);
        SharedBytes.copyIn(entry, 0, segment.memory(), at + TaskTableLayout.LENGTH_BYTES, entry.length);
    }

    private void publishCount() {
        // [task-announced: release] length and bytes are stored before this
        SharedWords.setIntRelease(segment.memory(), offset + TaskTableLayout.COUNT_OFFSET, count);
    }

    /** How many tasks there are. */
    public int count() {
        return count;
    }

    private void reserveTo(long end) {
        if (end <= reserved) {
            return;
        }
        long steps = (end - reserved + RESERVE_BYTES - 1) / RESERVE_BYTES;
        long bytes = Math.min(steps * RESERVE_BYTES, length - reserved);
        segment.reserve(offset + reserved, bytes);
        reserved += bytes;
    }
}

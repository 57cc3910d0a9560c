package dev.knitting.memory;

/**
 * The area of a {@link TaskTable}: a count, then entries one after the other.
 *
 * <pre>
 *   offset    size    name
 *        0       4    count      tasks that are complete; host stores with release, workers load with acquire
 *      128       4    length     bytes of entry 0
 *      132  length    bytes
 *                     ... the next entry starts at the next multiple of 8
 * </pre>
 *
 * <p>Written by the host alone. An entry that {@code count} covers never changes.
 */
final class TaskTableLayout {
    static final long COUNT_OFFSET = 0;
    static final long ENTRIES_OFFSET = 128;
    static final long LENGTH_BYTES = 4;
    static final long ENTRY_ALIGNMENT = 8;

    /** Most tasks of a table. */
    static final int MAX_TASKS = 65_536;

    private TaskTableLayout() {}

    /** Where the entry after one of this length at this place starts, relative to the area. */
    static long nextEntry(long entryOffset, int length) {
        long end = entryOffset + LENGTH_BYTES + length;
        return (end + ENTRY_ALIGNMENT - 1) & -ENTRY_ALIGNMENT;
    }

    /** Refuses an area that is not inside the segment, too small, or not on a line of its own. */
    static void requireArea(long segmentLength, long offset, long length) {
        boolean isAligned = offset % ENTRIES_OFFSET == 0;
        if (!isAligned || offset < 0 || length < 2 * ENTRIES_OFFSET || offset > segmentLength - length) {
            throw new IllegalArgumentException("task table is misplaced: offset=" + offset + ", length=" + length);
        }
    }
}

package dev.knitting.boot;

/**
 * Where the parts of a segment lie.
 *
 * <pre>
 *   byte 0          segment header
 *   byte 4096       boot table: one entry, the worker configuration
 *   byte 1 MiB      task table, append-only
 *   byte 17 MiB     lanes, then the mailbox that all workers serve, if there is one
 *   to the end      shared buffers
 * </pre>
 *
 * Sparse: pages are reserved as they are used.
 */
public final class SegmentMap {
    /** Where the boot table starts. */
    public static final long BOOT_TABLE_OFFSET = 4096;
    /** Length of the boot table. */
    public static final long BOOT_TABLE_BYTES = (1L << 20) - BOOT_TABLE_OFFSET;
    /** Where the task table starts. */
    public static final long TASK_TABLE_OFFSET = 1L << 20;
    /** Length of the task table. */
    public static final long TASK_TABLE_BYTES = 16L << 20;
    /** Where the first lane starts. */
    public static final long LANES_OFFSET = TASK_TABLE_OFFSET + TASK_TABLE_BYTES;

    private SegmentMap() {}
}

package dev.knitting.memory;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * The first {@value #SIZE_BYTES} bytes of every segment. Words written by different parties lie {@value #LINE_BYTES}
 * bytes apart; everything not named is reserved and zero.
 *
 * <pre>
 * offset size name
 *      0    8 magic
 *      8    4 layoutVersion
 *     12    4 byteOrder
 *     16    8 totalLength
 *     24    4 discipline
 *     28    4 laneCount
 *     32    8 hostPid
 *     40    8 hostStart
 *     48    4 processors
 *     52    4 flags
 *     56    8 epoch
 *     64    8 taskTableOffset
 *     72    8 taskTableLength
 *     80    8 firstLaneOffset
 *     88    8 laneStride
 *    128    8 heartbeat
 *    136    8 queued
 *    256    4 hostBell
 *    384    4 awakeWorkers
 * </pre>
 *
 * <p>The first line is written by the host before {@code layoutVersion}, which is stored <b>last, with release</b> and
 * read with acquire; after that it never changes. Its fields start as zero, which is no valid version.
 *
 * <ul>
 *   <li>{@code magic}: {@link #MAGIC}. {@code byteOrder}: {@link #BYTE_ORDER_MARK} as the host's processor stores it.
 *   <li>{@code totalLength}: bytes of the segment. {@code discipline}: a {@code DISCIPLINE_} constant.
 *   <li>{@code laneCount}: at least 1; lane i starts at {@code firstLaneOffset + i * laneStride}.
 *   <li>{@code hostPid}, {@code hostStart}: the host's {@link ProcessIdentity}; a start of 0 is unknown.
 *   <li>{@code processors}: processors that the host counted, at least 1. {@code flags}: {@code FLAG_} bits.
 *   <li>{@code epoch}: the host's choice, the same for all its segments: a common zero of times in logs.
 *   <li>{@code taskTableOffset}, {@code taskTableLength}: the area of the {@link TaskTable}.
 *   <li>{@code heartbeat}: a count that the host moves on now and then while calls are open (opaque); read by tools.
 *       Starts at 0. {@code queued}: calls that waited in the host at that moment.
 *   <li>{@code hostBell}: the word on which the host sleeps; written by host and workers. The mailbox package defines
 *       its values; starts at 0.
 *   <li>{@code awakeWorkers}: how many workers are not asleep; written by workers (atomic add), read by the host as a
 *       hint. Starts at 0.
 * </ul>
 *
 * <p>The offsets are literals, which the compiler copies to where they are used: a worker that reads the header does not
 * initialise this class and so does not build {@link #LAYOUT}. A test proves that both agree.
 */
public final class SegmentHeaderLayout {
    /** "KNITTING" as ASCII bytes in little-endian order. */
    public static final long MAGIC = 0x474E_4954_5449_4E4BL;

    /** Version of everything that host and worker share, of this header and of what follows it. */
    public static final int LAYOUT_VERSION = 1;

    /** Reads differently on a processor with another byte order. */
    public static final int BYTE_ORDER_MARK = 0x0102_0304;

    /** Each worker has a submit mailbox of its own. */
    public static final int DISCIPLINE_PRIVATE_LANES = 0;
    /** All workers serve one submit mailbox, which follows the lanes, and claim by compare-and-set. */
    public static final int DISCIPLINE_TICKET = 1;
    /** All workers serve one submit mailbox, which follows the lanes, and claim by loads and stores. */
    public static final int DISCIPLINE_DEKKER = 2;

    /** Flag: sleepers wait on futexes. Without it they wait on sockets. */
    public static final int FLAG_FUTEX_BELLS = 1;

    /** Flag: the host relies on {@link ProcessBarrier}; a worker that cannot register must refuse. */
    public static final int FLAG_PROCESS_BARRIER = 1 << 1;

    /** Length of the header, and its alignment: one small page. */
    public static final long SIZE_BYTES = 4096;

    /** Distance between words of different writers. */
    public static final long LINE_BYTES = 128;

    /** Most lanes of one segment. */
    public static final int MAX_LANES = 256;

    static final long MAGIC_OFFSET = 0;
    static final long LAYOUT_VERSION_OFFSET = 8;
    static final long BYTE_ORDER_OFFSET = 12;
    static final long TOTAL_LENGTH_OFFSET = 16;
    static final long DISCIPLINE_OFFSET = 24;
    static final long LANE_COUNT_OFFSET = 28;
    static final long HOST_PID_OFFSET = 32;
    static final long HOST_START_OFFSET = 40;
    static final long PROCESSORS_OFFSET = 48;
    static final long FLAGS_OFFSET = 52;
    static final long EPOCH_OFFSET = 56;
    static final long TASK_TABLE_OFFSET_OFFSET = 64;
    static final long TASK_TABLE_LENGTH_OFFSET = 72;
    static final long FIRST_LANE_OFFSET_OFFSET = 80;
    static final long LANE_STRIDE_OFFSET = 88;

    /** Offset of the heartbeat, a 64-bit word on a line of its own. */
    public static final long HEARTBEAT_OFFSET = 128;

    static final long QUEUED_OFFSET = 136;

    /** Offset of the host's bell, a 32-bit word on a line of its own. */
    public static final long HOST_BELL_OFFSET = 256;

    /** Offset of the awake-worker count, a 32-bit word on a line of its own. */
    public static final long AWAKE_WORKERS_OFFSET = 384;

    /** The same as a layout: for tests and tools. */
    public static final StructLayout LAYOUT = MemoryLayout.structLayout(
                    JAVA_LONG.withName("magic"),
                    JAVA_INT.withName("layoutVersion"),
                    JAVA_INT.withName("byteOrder"),
                    JAVA_LONG.withName("totalLength"),
                    JAVA_INT.withName("discipline"),
                    JAVA_INT.withName("laneCount"),
                    JAVA_LONG.withName("hostPid"),
                    JAVA_LONG.withName("hostStart"),
                    JAVA_INT.withName("processors"),
                    JAVA_INT.withName("flags"),
                    JAVA_LONG.withName("epoch"),
                    JAVA_LONG.withName("taskTableOffset"),
                    JAVA_LONG.withName("taskTableLength"),
                    JAVA_LONG.withName("firstLaneOffset"),
                    JAVA_LONG.withName("laneStride"),
                    paddingLayout(32),
                    JAVA_LONG.withName("heartbeat"),
                    JAVA_LONG.withName("queued"),
                    paddingLayout(112),
                    JAVA_INT.withName("hostBell"),
                    paddingLayout(124),
                    JAVA_INT.withName("awakeWorkers"),
                    paddingLayout(3708))
            .withName("segmentHeader");

    private SegmentHeaderLayout() {}
}

package dev.knitting.memory;

import static dev.knitting.memory.SegmentHeaderLayout.AWAKE_WORKERS_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.BYTE_ORDER_MARK;
import static dev.knitting.memory.SegmentHeaderLayout.BYTE_ORDER_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.DISCIPLINE_DEKKER;
import static dev.knitting.memory.SegmentHeaderLayout.DISCIPLINE_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES;
import static dev.knitting.memory.SegmentHeaderLayout.EPOCH_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.FIRST_LANE_OFFSET_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.FLAGS_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.HEARTBEAT_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.HOST_PID_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.HOST_START_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.LANE_COUNT_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.LANE_STRIDE_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.LAYOUT_VERSION;
import static dev.knitting.memory.SegmentHeaderLayout.LAYOUT_VERSION_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.LINE_BYTES;
import static dev.knitting.memory.SegmentHeaderLayout.MAGIC;
import static dev.knitting.memory.SegmentHeaderLayout.MAGIC_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.MAX_LANES;
import static dev.knitting.memory.SegmentHeaderLayout.PROCESSORS_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.QUEUED_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.SIZE_BYTES;
import static dev.knitting.memory.SegmentHeaderLayout.TASK_TABLE_LENGTH_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.TASK_TABLE_OFFSET_OFFSET;
import static dev.knitting.memory.SegmentHeaderLayout.TOTAL_LENGTH_OFFSET;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Access to a segment's header. The constant part is written once by {@link #create} and checked as a whole by {@link
 * #attach}; a host keeps its own copy and never reads it back. The other words are live.
 *
 * <p>Edge [header-complete]: {@link #create} stores the version with release after every other field; {@link #attach}
 * loads it with acquire before any of them. Without it a worker could see a version and no offsets.
 *
 * <p>Any thread may use a view.
 */
public final class SegmentHeaderView {
    private final ByteBuffer words;
    private final long segmentBytes;

    private SegmentHeaderView(ByteBuffer words, long segmentBytes) {
        this.words = words;
        this.segmentBytes = segmentBytes;
    }

    /**
     * Reserves and writes the header of a fresh segment. Host only.
     *
     * @throws KnittingException {@link ErrorCode#LAYOUT_MISMATCH} if the values do not fit the segment: the same checks
     *     as a worker's; {@link ErrorCode#OUT_OF_SHARED_MEMORY} if the memory is full
     */
    public static SegmentHeaderView create(SharedSegment segment, SegmentHeader header) {
        segment.reserve(0, SIZE_BYTES);
        return write(segment.memory(), header);
    }

    /** As {@link #create}, for memory whose pages are there. */
    static SegmentHeaderView write(MemorySegment memory, SegmentHeader header) {
        ByteBuffer words = memory.asSlice(0, SIZE_BYTES).asByteBuffer().order(ByteOrder.nativeOrder());
        SegmentHeaderView view = new SegmentHeaderView(words, memory.byteSize());
        view.fill(header);
        view.check();
        view.publish();
        return view;
    }

    /**
     * Writes the constant part again, over what a worker may have written there. Who reads meanwhile sees the same values.
     * Host only.
     *
     * @param header what the segment was created with
     */
    public void restore(SegmentHeader header) {
        fill(header);
        publish();
    }

    private void publish() {
        // [header-complete: release] every field is stored before this
        BufferWords.setIntRelease(words, LAYOUT_VERSION_OFFSET, LAYOUT_VERSION);
    }

    private void fill(SegmentHeader header) {
        BufferWords.setLongPlain(words, MAGIC_OFFSET, MAGIC);
        BufferWords.setIntPlain(words, BYTE_ORDER_OFFSET, BYTE_ORDER_MARK);
        BufferWords.setLongPlain(words, TOTAL_LENGTH_OFFSET, segmentBytes);
        BufferWords.setIntPlain(words, DISCIPLINE_OFFSET, header.discipline());
        BufferWords.setIntPlain(words, LANE_COUNT_OFFSET, header.laneCount());
        BufferWords.setLongPlain(words, HOST_PID_OFFSET, header.host().pid());
        BufferWords.setLongPlain(words, HOST_START_OFFSET, header.host().startToken());
        BufferWords.setIntPlain(words, PROCESSORS_OFFSET, header.processors());
        BufferWords.setIntPlain(words, FLAGS_OFFSET, header.flags());
        BufferWords.setLongPlain(words, EPOCH_OFFSET, header.epoch());
        BufferWords.setLongPlain(words, TASK_TABLE_OFFSET_OFFSET, header.taskTableOffset());
        BufferWords.setLongPlain(words, TASK_TABLE_LENGTH_OFFSET, header.taskTableLength());
        BufferWords.setLongPlain(words, FIRST_LANE_OFFSET_OFFSET, header.firstLaneOffset());
        BufferWords.setLongPlain(words, LANE_STRIDE_OFFSET, header.laneStride());
    }

    /**
     * Checks the header of a segment that somebody else made. Quick: on the path of a worker's start.
     *
     * @throws KnittingException {@link ErrorCode#LAYOUT_MISMATCH} if it is not complete, not ours, of another version or
     *     inconsistent; the message says what was found and what was expected
     */
    public static SegmentHeaderView attach(SharedSegment segment) {
        require(segment.length() >= SIZE_BYTES, "segment is too short", "length", segment.length(), SIZE_BYTES);
        return attach(segment.window(0, (int) SIZE_BYTES), segment.length());
    }

    /** As {@link #attach(SharedSegment)}, for memory of another origin. */
    static SegmentHeaderView attach(MemorySegment memory) {
        require(memory.byteSize() >= SIZE_BYTES, "segment is too short", "length", memory.byteSize(), SIZE_BYTES);
        return attach(memory.asSlice(0, SIZE_BYTES).asByteBuffer().order(ByteOrder.nativeOrder()), memory.byteSize());
    }

    private static SegmentHeaderView attach(ByteBuffer words, long segmentBytes) {
        // [header-complete: acquire] every field is loaded after this
        int version = BufferWords.getIntAcquire(words, LAYOUT_VERSION_OFFSET);
        SegmentHeaderView view = new SegmentHeaderView(words, segmentBytes);
        long magic = BufferWords.getLongPlain(words, MAGIC_OFFSET);
        // Before the version: in foreign memory that word means something else.
        require(magic == MAGIC || version == 0, "not a segment of this library", "magic", magic, MAGIC);
        require(version == LAYOUT_VERSION, "segment has another layout", "layoutVersion", version, LAYOUT_VERSION);
        view.check();
        return view;
    }

    /** All but the version. */
    private void check() {
        long length = segmentBytes;
        int order = BufferWords.getIntPlain(words, BYTE_ORDER_OFFSET);
        require(order == BYTE_ORDER_MARK, "segment has another byte order", "byteOrder", order, BYTE_ORDER_MARK);
        long total = totalLengthPlain();
        require(total == length, "segment has another length", "totalLength", total, length);
        int discipline = disciplinePlain();
        if (discipline < DISCIPLINE_PRIVATE_LANES || discipline > DISCIPLINE_DEKKER) {
            throw KnittingException.of(
                    ErrorCode.LAYOUT_MISMATCH,
                    "unknown discipline",
                    "discipline",
                    discipline,
                    "valid",
                    "0 (PRIVATE_LANES), 1 (TICKET), 2 (DEKKER)");
        }
        int lanes = laneCountPlain();
        require(lanes >= 1 && lanes <= MAX_LANES, "lane count out of range", "laneCount", lanes, MAX_LANES);
        require(processorsPlain() >= 1, "processor count out of range", "processors", processorsPlain(), 1);
        requireArea("taskTable", taskTableOffsetPlain(), taskTableLengthPlain(), length);
        long stride = laneStridePlain();
        long limit = length / lanes;
        require(stride >= LINE_BYTES && stride <= limit, "lane stride out of range", "laneStride", stride, limit);
        requireArea("lanes", firstLaneOffsetPlain(), stride * lanes, length);
    }

    private static void requireArea(String area, long offset, long bytes, long length) {
        boolean isAligned = (offset & (LINE_BYTES - 1)) == 0;
        if (!isAligned || offset < SIZE_BYTES || bytes < 1 || offset > length - bytes) {
            throw KnittingException.of(
                    ErrorCode.LAYOUT_MISMATCH,
                    "area is outside the segment or not aligned",
                    "area",
                    area,
                    "offset",
                    offset,
                    "bytes",
                    bytes,
                    "length",
                    length);
        }
    }

    private static void require(boolean holds, String what, String name, long found, long expected) {
        if (!holds) {
            throw KnittingException.of(ErrorCode.LAYOUT_MISMATCH, what, name, found, "expected", expected);
        }
    }

    /** Bytes of the segment. Constant. */
    public long totalLengthPlain() {
        return BufferWords.getLongPlain(words, TOTAL_LENGTH_OFFSET);
    }

    /** How workers share submit mailboxes. Constant. */
    public int disciplinePlain() {
        return BufferWords.getIntPlain(words, DISCIPLINE_OFFSET);
    }

    /** Lanes in this segment. Constant. */
    public int laneCountPlain() {
        return BufferWords.getIntPlain(words, LANE_COUNT_OFFSET);
    }

    /** Where the mailbox that all workers serve starts; with a discipline that has one. Constant. */
    public long sharedMailboxOffset() {
        return firstLaneOffsetPlain() + laneCountPlain() * laneStridePlain();
    }

    /** The host's process id, as the host sees it. Constant. */
    public long hostPidPlain() {
        return BufferWords.getLongPlain(words, HOST_PID_OFFSET);
    }

    /** The host's start token ({@link HostLiveness}); 0 if unknown. Constant. */
    public long hostStartPlain() {
        return BufferWords.getLongPlain(words, HOST_START_OFFSET);
    }

    /** Processors that the host counted. Constant. */
    public int processorsPlain() {
        return BufferWords.getIntPlain(words, PROCESSORS_OFFSET);
    }

    /** {@code FLAG_} bits. Constant. */
    public int flagsPlain() {
        return BufferWords.getIntPlain(words, FLAGS_OFFSET);
    }

    /** The host's common zero of times. Constant. */
    public long epochPlain() {
        return BufferWords.getLongPlain(words, EPOCH_OFFSET);
    }

    /** First byte of the task table. Constant. */
    public long taskTableOffsetPlain() {
        return BufferWords.getLongPlain(words, TASK_TABLE_OFFSET_OFFSET);
    }

    /** Bytes of the task table. Constant. */
    public long taskTableLengthPlain() {
        return BufferWords.getLongPlain(words, TASK_TABLE_LENGTH_OFFSET);
    }

    /** First byte of lane 0. Constant. */
    public long firstLaneOffsetPlain() {
        return BufferWords.getLongPlain(words, FIRST_LANE_OFFSET_OFFSET);
    }

    /** Bytes from one lane to the next. Constant. */
    public long laneStridePlain() {
        return BufferWords.getLongPlain(words, LANE_STRIDE_OFFSET);
    }

    /** How often the host has shown that it lives. Opaque: a hint for tools, orders nothing. */
    public long heartbeatOpaque() {
        return BufferWords.getLongOpaque(words, HEARTBEAT_OFFSET);
    }

    /** Shows that the host lives. Opaque: see {@link #heartbeatOpaque}. Host only, one thread. */
    public void heartbeatOpaque(long count) {
        BufferWords.setLongOpaque(words, HEARTBEAT_OFFSET, count);
    }

    /** Calls that waited in the host at the last heartbeat. Opaque: for tools. */
    public long queuedOpaque() {
        return BufferWords.getLongOpaque(words, QUEUED_OFFSET);
    }

    /** Says how many calls wait in the host. Opaque: for tools. Host only, one thread. */
    public void queuedOpaque(long count) {
        BufferWords.setLongOpaque(words, QUEUED_OFFSET, count);
    }

    /** How many workers are awake. Opaque: a hint. The host checks it for range, workers write it. */
    public int awakeWorkersOpaque() {
        return BufferWords.getIntOpaque(words, AWAKE_WORKERS_OFFSET);
    }

    /** Adds to the number of awake workers; what it was. Volatile. */
    public int addAwakeWorkersVolatile(int delta) {
        return BufferWords.getAndAddIntVolatile(words, AWAKE_WORKERS_OFFSET, delta);
    }
}

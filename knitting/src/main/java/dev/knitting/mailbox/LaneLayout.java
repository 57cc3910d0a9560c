package dev.knitting.mailbox;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;

/**
 * One worker's lane: control words, submit mailbox, return mailbox, abort records, submit arena, return arena. Words of different
 * writers lie 128 bytes apart, so that neither a cache line nor a pair of lines fetched together is shared by them.
 *
 * <pre>
 *   byte 0      state (worker)      4  features (worker)
 *   byte 128    requests (host)     132 incarnation (host) 136 submitStart (host)   144 returnStart (host)
 *   byte 152    startNanos (host)   160 startMillis (host)
 *   byte 256    workerBell (both, by compare-and-set)
 *   byte 384    retired (worker)
 *   byte 512    returned (host)
 *   byte 640    controlBell (both, by compare-and-set)
 *   byte 768    failedCalls (worker) 776 bytesIn (worker) 784 bytesOut (worker)     792 busyNanos (worker)
 *   byte 896    workerPid (host)     904 grantNumber (host)  912 grantId (host)
 *   byte 920    grantStart (host)
 *   byte 1024   errorLength (worker), then up to 3064 bytes of text
 *   byte 4096   submit mailbox, 36864 bytes
 *   byte 40960  return mailbox, 36864 bytes
 *   byte 77824  abort records (host), 16384 bytes: see {@link AbortLayout}
 *   byte 94208  submit arena, then return arena, each of the pool's ceiling
 * </pre>
 *
 * <ul>
 *   <li>{@code state}: see {@link WorkerState}; edge [state].
 *   <li>{@code features}: {@link #FEATURE_RINGS} once the worker can ring; until then the host looks by itself.
 *   <li>{@code requests}: what the host wants: {@link #REQUEST_STOP}, {@link #REQUEST_HOLD}, {@link #REQUEST_RETIRE}, {@link
 *       #REQUEST_ABORTS}, and a count of aborts in the bits from 8 on; by atomic operations, since several host threads write
 *       it; edge [requests].
 *   <li>{@code submitStart, returnStart}: positions at which this incarnation starts; written before it exists.
 *   <li>{@code startNanos, startMillis}: the host's clocks when the incarnation was prepared: what deadlines refer to.
 *   <li>{@code controlBell}: on which a worker process sleeps that is to deliver aborts; see {@link BellWord}.
 *   <li>{@code retired}: position + 1 of the last submit slot the worker entered; edge [retired]. Retired means entered.
 *   <li>{@code returned}: position up to which the host has taken results; edge [returned].
 *   <li>{@code workerPid}: the process that the host started, for tools; 0 until it has.
 *   <li>{@code grantNumber, grantId, grantStart}: the answer to a task that asked for a shared buffer: which request,
 *       number of the buffer, or of an error below 0, offset in the segment; edge [granted].
 *   <li>{@code failedCalls, bytesIn, bytesOut, busyNanos}: counters for tools, over all incarnations: calls that failed in
 *       the worker, bytes of payloads that did not fit the slot's words, and time in tasks (exact for calls of 20 µs and
 *       more, of faster ones each 16th counts for all). Read by anybody, at any time.
 *   <li>{@code errorLength}: bytes of text why the start failed; written before {@code state}.
 * </ul>
 */
public final class LaneLayout {
    /** The control words as a struct. */
    public static final StructLayout LAYOUT = structLayout(
                    JAVA_INT.withName("state"),
                    JAVA_INT.withName("features"),
                    paddingLayout(120),
                    JAVA_INT.withName("requests"),
                    JAVA_INT.withName("incarnation"),
                    JAVA_LONG.withName("submitStart"),
                    JAVA_LONG.withName("returnStart"),
                    JAVA_LONG.withName("startNanos"),
                    JAVA_LONG.withName("startMillis"),
                    paddingLayout(88),
                    JAVA_INT.withName("workerBell"),
                    paddingLayout(124),
                    JAVA_LONG.withName("retired"),
                    paddingLayout(120),
                    JAVA_LONG.withName("returned"),
                    paddingLayout(120),
                    JAVA_INT.withName("controlBell"),
                    paddingLayout(124),
                    JAVA_LONG.withName("failedCalls"),
                    JAVA_LONG.withName("bytesIn"),
                    JAVA_LONG.withName("bytesOut"),
                    JAVA_LONG.withName("busyNanos"),
                    paddingLayout(96),
                    JAVA_LONG.withName("workerPid"),
                    JAVA_LONG.withName("grantNumber"),
                    JAVA_LONG.withName("grantId"),
                    JAVA_LONG.withName("grantStart"),
                    paddingLayout(96),
                    JAVA_INT.withName("errorCode"),
                    JAVA_INT.withName("errorLength"),
                    paddingLayout(3064).withName("errorText"))
            .withName("lane");

    /** The worker rings from now on. It starts before it can, to take its first call sooner. */
    public static final int FEATURE_RINGS = 1;

    /** The worker shall enter no more calls and end, whatever waits. */
    public static final int REQUEST_STOP = 1;
    /** A call of this incarnation was asked to stop: from now on the worker looks at each call's abort record. */
    public static final int REQUEST_ABORTS = 1 << 1;
    /** The worker shall enter no more calls and wait: to be killed, or for this to be taken back. */
    public static final int REQUEST_HOLD = 1 << 2;
    /** The worker shall enter no more calls, finish those that it has entered, and end. */
    public static final int REQUEST_RETIRE = 1 << 3;
    /** What keeps a worker from entering calls. */
    public static final int REQUEST_PAUSE = REQUEST_STOP | REQUEST_HOLD | REQUEST_RETIRE;
    /** What is added for each abort: whoever waits for aborts sees the word change. */
    public static final int REQUEST_ABORT_COUNT = 1 << 8;

    /** Length of the control words. */
    public static final long CONTROL_BYTES = 4096;
    /** Where the submit mailbox starts, from the lane's base. */
    public static final long SUBMIT_OFFSET = CONTROL_BYTES;
    /** Where the return mailbox starts. */
    public static final long RETURN_OFFSET = SUBMIT_OFFSET + SlotLayout.MAILBOX_BYTES;
    /** Where the abort records start. */
    public static final long ABORTS_OFFSET = RETURN_OFFSET + SlotLayout.MAILBOX_BYTES;
    /** Where the submit arena starts; the return arena follows it. */
    public static final long ARENAS_OFFSET = ABORTS_OFFSET + AbortLayout.RECORDS_BYTES;

    /** Counter of a worker: calls that failed in it. */
    public static final long FAILED_CALLS_OFFSET = 768;
    /** Counter of a worker: bytes of arguments beyond the slot's words. */
    public static final long BYTES_IN_OFFSET = 776;
    /** Counter of a worker: bytes of results beyond the slot's words. */
    public static final long BYTES_OUT_OFFSET = 784;
    /** Counter of a worker: time in tasks. */
    public static final long BUSY_NANOS_OFFSET = 792;

    static final long STATE_OFFSET = 0;
    static final long FEATURES_OFFSET = 4;
    static final long REQUESTS_OFFSET = 128;
    static final long INCARNATION_OFFSET = 132;
    static final long SUBMIT_START_OFFSET = 136;
    static final long RETURN_START_OFFSET = 144;
    static final long START_NANOS_OFFSET = 152;
    static final long START_MILLIS_OFFSET = 160;
    static final long WORKER_PID_OFFSET = 896;
    static final long GRANT_NUMBER_OFFSET = 904;
    static final long GRANT_ID_OFFSET = 912;
    static final long GRANT_START_OFFSET = 920;
    static final long WORKER_BELL_OFFSET = 256;
    static final long RETIRED_OFFSET = 384;
    static final long RETURNED_OFFSET = 512;
    static final long CONTROL_BELL_OFFSET = 640;
    static final long ERROR_CODE_OFFSET = 1024;
    static final long ERROR_LENGTH_OFFSET = 1028;
    static final long ERROR_TEXT_OFFSET = 1032;
    static final int ERROR_TEXT_BYTES = 3064;

    private LaneLayout() {}

    /** Distance between two lanes whose arenas hold so many bytes each. */
    public static long strideBytes(long arenaBytes) {
        return (ARENAS_OFFSET + 2 * arenaBytes + 4095) & -4096L;
    }
}

package dev.knitting.mailbox;

import dev.knitting.memory.BufferWords;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The control words of one lane. Accessor names end in their memory order; {@link LaneLayout} says who writes what.
 * Any thread of either side.
 */
public final class LaneView {
    /** Between the control words and the arenas: mailboxes and abort records. */
    private static final int MESSAGES_BYTES = (int) (LaneLayout.ARENAS_OFFSET - LaneLayout.SUBMIT_OFFSET);

    private final ByteBuffer words;
    private final long base;
    /** What this side wrote at the reset: the host never asks a worker's memory for it. */
    private long preparedSubmitStart;

    private long preparedReturnStart;

    /**
     * A view of a lane.
     *
     * @param window the lane's control words and mailboxes, {@link LaneLayout#ARENAS_OFFSET} bytes
     * @param base offset of the lane in its segment
     * @throws IndexOutOfBoundsException if the window is shorter
     */
    public LaneView(ByteBuffer window, long base) {
        Objects.checkFromIndexSize(0, (int) LaneLayout.ARENAS_OFFSET, window.capacity());
        this.words = window;
        this.base = base;
    }

    /**
     * A view of the lane at this offset of a segment that is mapped as a whole.
     *
     * @throws IndexOutOfBoundsException if the control words and mailboxes do not lie in the segment
     */
    public LaneView(MemorySegment segment, long base) {
        this(segment.asSlice(base, LaneLayout.ARENAS_OFFSET, 64).asByteBuffer().order(ByteOrder.nativeOrder()), base);
    }

    /** The lane's control words and mailboxes. */
    public ByteBuffer window() {
        return words;
    }

    /** Offset of the lane in its segment. */
    public long base() {
        return base;
    }

    /** Offset of the worker's bell word in the segment. */
    public long workerBellOffset() {
        return base + LaneLayout.WORKER_BELL_OFFSET;
    }

    /** Offset of the control bell's word in the segment: on it sleeps who delivers aborts in a worker process. */
    public long controlBellOffset() {
        return base + LaneLayout.CONTROL_BELL_OFFSET;
    }

    /** The worker's state. */
    public int stateAcquire() {
        // [state: acquire] the error text is read after this load
        return BufferWords.getIntAcquire(words, LaneLayout.STATE_OFFSET);
    }

    /** Sets the worker's state. */
    public void stateRelease(int state) {
        // [state: release] the error text is stored before this
        BufferWords.setIntRelease(words, LaneLayout.STATE_OFFSET, state);
    }

    /** Whether the worker rings the host. Read it before looking for results. */
    public boolean isRingingAcquire() {
        // [ringing: acquire] results published without a ring are seen by a look after this load
        return (BufferWords.getIntAcquire(words, LaneLayout.FEATURES_OFFSET) & LaneLayout.FEATURE_RINGS) != 0;
    }

    /** The worker rings the host from now on. */
    public void ringingRelease() {
        // [ringing: release] results published without a ring are stored before this
        BufferWords.setIntRelease(words, LaneLayout.FEATURES_OFFSET, LaneLayout.FEATURE_RINGS);
    }

    /** Whether the host asks the worker to end. */
    public boolean isStopRequestedAcquire() {
        return (requestsAcquire() & LaneLayout.REQUEST_STOP) != 0;
    }

    /** Whether the host ever asked a call of this incarnation to stop. */
    public boolean hasAbortsAcquire() {
        return (requestsAcquire() & LaneLayout.REQUEST_ABORTS) != 0;
    }

    /** All that the host wants: bits of {@link LaneLayout}, and a count that each abort changes. */
    public int requestsAcquire() {
        // [requests: acquire] abort records are read after this load; the rest is re-read at every turn
        return BufferWords.getIntAcquire(words, LaneLayout.REQUESTS_OFFSET);
    }

    /** What the host asks that keeps the worker from entering calls, 0 for nothing. Looked at before each call. */
    public int pauseAcquire() {
        return requestsAcquire() & LaneLayout.REQUEST_PAUSE;
    }

    /** Asks the worker for something, bits of {@link LaneLayout}. Ring its bell afterwards. */
    public void requestVolatile(int bits) {
        // [requests: release] partner of the worker's look at every turn
        BufferWords.getAndOrIntVolatile(words, LaneLayout.REQUESTS_OFFSET, bits);
    }

    /** Takes a request back. */
    public void takeBackVolatile(int bits) {
        // [requests: release] partner of the worker's look at every turn
        BufferWords.getAndAndIntVolatile(words, LaneLayout.REQUESTS_OFFSET, ~bits);
    }

    /** Asks the worker to end. Ring its bell afterwards. */
    public void stopVolatile() {
        // [requests: release] partner of the worker's look at every turn
        BufferWords.getAndOrIntVolatile(words, LaneLayout.REQUESTS_OFFSET, LaneLayout.REQUEST_STOP);
    }

    /** Says that an abort record has changed. Ring the control bell afterwards. */
    public void abortsVolatile() {
        // [requests: release] the record is stored before this
        BufferWords.getAndOrIntVolatile(words, LaneLayout.REQUESTS_OFFSET, LaneLayout.REQUEST_ABORTS);
        BufferWords.getAndAddIntVolatile(words, LaneLayout.REQUESTS_OFFSET, LaneLayout.REQUEST_ABORT_COUNT);
    }

    /** The host's {@code System.nanoTime()} when this incarnation was prepared; set before the worker exists. */
    public long startNanosPlain() {
        return BufferWords.getLongPlain(words, LaneLayout.START_NANOS_OFFSET);
    }

    /** The host's wall clock, in milliseconds, at the same moment; set before the worker exists. */
    public long startMillisPlain() {
        return BufferWords.getLongPlain(words, LaneLayout.START_MILLIS_OFFSET);
    }

    /** Number of this incarnation, from 1; set before the worker exists. */
    public int incarnationPlain() {
        return BufferWords.getIntPlain(words, LaneLayout.INCARNATION_OFFSET);
    }

    /** Position of the first call of this incarnation; set before the worker exists. */
    public long submitStartPlain() {
        return BufferWords.getLongPlain(words, LaneLayout.SUBMIT_START_OFFSET);
    }

    /** Position of the first result of this incarnation; set before the worker exists. */
    public long returnStartPlain() {
        return BufferWords.getLongPlain(words, LaneLayout.RETURN_START_OFFSET);
    }

    /** Position of the first call, as this view was told by {@link #resetForIncarnation}: not from shared memory. */
    public long preparedSubmitStart() {
        return preparedSubmitStart;
    }

    /** Position of the first result, as {@link #preparedSubmitStart}. */
    public long preparedReturnStart() {
        return preparedReturnStart;
    }

    /**
     * Prepares the lane for a new incarnation. No worker may be attached. What a dead worker left in the mailboxes and
     * abort records is wiped: it may have written messages ahead of its time.
     *
     * @param incarnation its number
     * @param submitStart position of its first call
     * @param returnStart position of its first result
     */
    public void resetForIncarnation(int incarnation, long submitStart, long returnStart) {
        preparedSubmitStart = submitStart;
        preparedReturnStart = returnStart;
        if (incarnation > 1) {
            words.put((int) LaneLayout.SUBMIT_OFFSET, new byte[MESSAGES_BYTES]);
        }
        BufferWords.setIntPlain(words, LaneLayout.REQUESTS_OFFSET, 0);
        BufferWords.setIntPlain(words, LaneLayout.INCARNATION_OFFSET, incarnation);
        BufferWords.setLongPlain(words, LaneLayout.SUBMIT_START_OFFSET, submitStart);
        BufferWords.setLongPlain(words, LaneLayout.RETURN_START_OFFSET, returnStart);
        BufferWords.setLongPlain(words, LaneLayout.START_NANOS_OFFSET, System.nanoTime());
        BufferWords.setLongPlain(words, LaneLayout.START_MILLIS_OFFSET, System.currentTimeMillis());
        BufferWords.setIntPlain(words, LaneLayout.WORKER_BELL_OFFSET, BellWord.OFF);
        BufferWords.setIntPlain(words, LaneLayout.CONTROL_BELL_OFFSET, BellWord.OFF);
        BufferWords.setLongPlain(words, LaneLayout.RETIRED_OFFSET, submitStart);
        BufferWords.setLongPlain(words, LaneLayout.RETURNED_OFFSET, returnStart);
        BufferWords.setIntPlain(words, LaneLayout.ERROR_LENGTH_OFFSET, 0);
        BufferWords.setIntPlain(words, LaneLayout.FEATURES_OFFSET, 0);
        stateRelease(WorkerState.STARTING);
    }

    /** Position up to which calls were entered, as the worker says. */
    public long retiredAcquire() {
        // [retired: acquire] the slots below may be overwritten after this load
        return BufferWords.getLongAcquire(words, LaneLayout.RETIRED_OFFSET);
    }

    /** Says that all calls below this position were entered. */
    public void retiredRelease(long position) {
        // [retired: release] the slots below were read before this
        BufferWords.setLongRelease(words, LaneLayout.RETIRED_OFFSET, position);
    }

    /** Position up to which results were taken. */
    public long returnedAcquire() {
        // [returned: acquire] the slots below may be overwritten after this load
        return BufferWords.getLongAcquire(words, LaneLayout.RETURNED_OFFSET);
    }

    /** Says that all results below this position were taken. */
    public void returnedRelease(long position) {
        // [returned: release] the slots below were read, and the calls marked, before this
        BufferWords.setLongRelease(words, LaneLayout.RETURNED_OFFSET, position);
    }

    /** The worker's bell word, for tools. Opaque: a hint. */
    public int workerBellOpaque() {
        return BufferWords.getIntOpaque(words, LaneLayout.WORKER_BELL_OFFSET);
    }

    /** The worker's process, for tools; 0 if it was not started yet. Opaque: nothing depends on it. */
    public long workerPidOpaque() {
        return BufferWords.getLongOpaque(words, LaneLayout.WORKER_PID_OFFSET);
    }

    /** Says which process the worker is. Host only. Opaque: for tools. */
    public void workerPidOpaque(long pid) {
        BufferWords.setLongOpaque(words, LaneLayout.WORKER_PID_OFFSET, pid);
    }

    /**
     * Answers a request for a shared buffer. Host only, one thread at a time: a worker asks again when it has the answer.
     *
     * @param id number of the buffer, or an error's number, negated
     */
    public void grantRelease(long request, long id, long start) {
        BufferWords.setLongPlain(words, LaneLayout.GRANT_ID_OFFSET, id);
        BufferWords.setLongPlain(words, LaneLayout.GRANT_START_OFFSET, start);
        // [granted: release] number and offset of the buffer, and its zeroed pages, come before this
        BufferWords.setLongRelease(words, LaneLayout.GRANT_NUMBER_OFFSET, request);
    }

    /** Which request was answered last. */
    public long grantNumberAcquire() {
        // [granted: acquire] number and offset are read after this load
        return BufferWords.getLongAcquire(words, LaneLayout.GRANT_NUMBER_OFFSET);
    }

    /** Number of the buffer, or an error's, negated; after {@link #grantNumberAcquire}. */
    public long grantIdPlain() {
        return BufferWords.getLongPlain(words, LaneLayout.GRANT_ID_OFFSET);
    }

    /** Where the buffer lies in the segment; after {@link #grantNumberAcquire}. */
    public long grantStartPlain() {
        return BufferWords.getLongPlain(words, LaneLayout.GRANT_START_OFFSET);
    }

    /** A counter of the worker, for tools. Opaque: any recent value does. */
    public long counterOpaque(long offset) {
        return BufferWords.getLongOpaque(words, offset);
    }

    /** Adds to a counter. The worker only, one thread: the plain read is of its own store. Opaque: nothing depends on it. */
    public void addCounterOpaque(long offset, long delta) {
        BufferWords.setLongOpaque(words, offset, BufferWords.getLongPlain(words, offset) + delta);
    }

    /** Writes why the start failed; before {@link #stateRelease}. Cut to what fits. */
    public void errorPlain(int code, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, LaneLayout.ERROR_TEXT_BYTES);
        words.put((int) LaneLayout.ERROR_TEXT_OFFSET, bytes, 0, length);
        BufferWords.setIntPlain(words, LaneLayout.ERROR_CODE_OFFSET, code);
        BufferWords.setIntPlain(words, LaneLayout.ERROR_LENGTH_OFFSET, length);
    }

    /** Number of the error code of a failed start, unchecked; after {@link #stateAcquire}. */
    public int errorCodePlain() {
        return BufferWords.getIntPlain(words, LaneLayout.ERROR_CODE_OFFSET);
    }

    /** Why the start failed, or an empty text; after {@link #stateAcquire}. */
    public String errorTextPlain() {
        int length = BufferWords.getIntPlain(words, LaneLayout.ERROR_LENGTH_OFFSET);
        byte[] bytes = new byte[Math.clamp(length, 0, LaneLayout.ERROR_TEXT_BYTES)];
        words.get((int) LaneLayout.ERROR_TEXT_OFFSET, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

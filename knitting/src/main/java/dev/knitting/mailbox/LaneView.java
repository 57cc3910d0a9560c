package dev.knitting.mailbox;

import dev.knitting.memory.SharedWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The control words of one lane. Accessor names end in their memory order; {@link LaneLayout} says who writes what.
 * Any thread of either side.
 */
public final class LaneView {
    private final MemorySegment segment;
    private final long base;

    /**
     * A view of the lane at this offset.
     *
     * @throws IndexOutOfBoundsException if the control words and mailboxes do not lie in the segment
     */
    public LaneView(MemorySegment segment, long base) {
        this.segment = segment.asSlice(0, segment.byteSize());
        this.base = base;
        segment.asSlice(base, LaneLayout.ARENAS_OFFSET, 64);
    }

    /** The segment that holds the lane. */
    public MemorySegment segment() {
        return segment;
    }

    /** Offset of the lane in its segment. */
    public long base() {
        return base;
    }

    /** Offset of the worker's bell word in the segment. */
    public long workerBellOffset() {
        return base + LaneLayout.WORKER_BELL_OFFSET;
    }

    /** The worker's state. */
    public int stateAcquire() {
        // [state: acquire] the error text is read after this load
        return SharedWords.getIntAcquire(segment, base + LaneLayout.STATE_OFFSET);
    }

    /** Sets the worker's state. */
    public void stateRelease(int state) {
        // [state: release] the error text is stored before this
        SharedWords.setIntRelease(segment, base + LaneLayout.STATE_OFFSET, state);
    }

    /** Whether the worker rings the host. Read it before looking for results. */
    public boolean isRingingAcquire() {
        // [ringing: acquire] results published without a ring are seen by a look after this load
        return (SharedWords.getIntAcquire(segment, base + LaneLayout.FEATURES_OFFSET) & LaneLayout.FEATURE_RINGS) != 0;
    }

    /** The worker rings the host from now on. */
    public void ringingRelease() {
        // [ringing: release] results published without a ring are stored before this
        SharedWords.setIntRelease(segment, base + LaneLayout.FEATURES_OFFSET, LaneLayout.FEATURE_RINGS);
    }

    /** Whether the host asks the worker to end. */
    public boolean isStopRequestedAcquire() {
        // [stop: acquire] nothing is published with it; a hint that is re-read at every turn
        return SharedWords.getIntAcquire(segment, base + LaneLayout.STOP_OFFSET) != 0;
    }

    /** Asks the worker to end. Ring its bell afterwards. */
    public void stopRelease() {
        // [stop: release] partner of the worker's look at every turn
        SharedWords.setIntRelease(segment, base + LaneLayout.STOP_OFFSET, 1);
    }

    /** Number of this incarnation, from 1; set before the worker exists. */
    public int incarnationPlain() {
        return segment.get(ValueLayout.JAVA_INT, base + LaneLayout.INCARNATION_OFFSET);
    }

    /** Position of the first call of this incarnation; set before the worker exists. */
    public long submitStartPlain() {
        return segment.get(ValueLayout.JAVA_LONG, base + LaneLayout.SUBMIT_START_OFFSET);
    }

    /** Position of the first result of this incarnation; set before the worker exists. */
    public long returnStartPlain() {
        return segment.get(ValueLayout.JAVA_LONG, base + LaneLayout.RETURN_START_OFFSET);
    }

    /**
     * Prepares the lane for a new incarnation. No worker may be attached.
     *
     * @param incarnation its number
     * @param submitStart position of its first call
     * @param returnStart position of its first result
     */
    public void resetForIncarnation(int incarnation, long submitStart, long returnStart) {
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.STOP_OFFSET, 0);
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.INCARNATION_OFFSET, incarnation);
        segment.set(ValueLayout.JAVA_LONG, base + LaneLayout.SUBMIT_START_OFFSET, submitStart);
        segment.set(ValueLayout.JAVA_LONG, base + LaneLayout.RETURN_START_OFFSET, returnStart);
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.WORKER_BELL_OFFSET, BellWord.OFF);
        segment.set(ValueLayout.JAVA_LONG, base + LaneLayout.RETIRED_OFFSET, submitStart);
        segment.set(ValueLayout.JAVA_LONG, base + LaneLayout.RETURNED_OFFSET, returnStart);
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.ERROR_LENGTH_OFFSET, 0);
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.FEATURES_OFFSET, 0);
        stateRelease(WorkerState.STARTING);
    }

    /** Position up to which calls were entered, as the worker says. */
    public long retiredAcquire() {
        // [retired: acquire] the slots below may be overwritten after this load
        return SharedWords.getLongAcquire(segment, base + LaneLayout.RETIRED_OFFSET);
    }

    /** Says that all calls below this position were entered. */
    public void retiredRelease(long position) {
        // [retired: release] the slots below were read before this
        SharedWords.setLongRelease(segment, base + LaneLayout.RETIRED_OFFSET, position);
    }

    /** Position up to which results were taken. */
    public long returnedAcquire() {
        // [returned: acquire] the slots below may be overwritten after this load
        return SharedWords.getLongAcquire(segment, base + LaneLayout.RETURNED_OFFSET);
    }

    /** Says that all results below this position were taken. */
    public void returnedRelease(long position) {
        // [returned: release] the slots below were read, and the calls marked, before this
        SharedWords.setLongRelease(segment, base + LaneLayout.RETURNED_OFFSET, position);
    }

    /** Writes why the start failed; before {@link #stateRelease}. Cut to what fits. */
    public void errorPlain(int code, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, LaneLayout.ERROR_TEXT_BYTES);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, base + LaneLayout.ERROR_TEXT_OFFSET, length);
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.ERROR_CODE_OFFSET, code);
        segment.set(ValueLayout.JAVA_INT, base + LaneLayout.ERROR_LENGTH_OFFSET, length);
    }

    /** Number of the error code of a failed start, unchecked; after {@link #stateAcquire}. */
    public int errorCodePlain() {
        return segment.get(ValueLayout.JAVA_INT, base + LaneLayout.ERROR_CODE_OFFSET);
    }

    /** Why the start failed, or an empty text; after {@link #stateAcquire}. */
    public String errorTextPlain() {
        int length = segment.get(ValueLayout.JAVA_INT, base + LaneLayout.ERROR_LENGTH_OFFSET);
        byte[] bytes = new byte[Math.clamp(length, 0, LaneLayout.ERROR_TEXT_BYTES)];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, base + LaneLayout.ERROR_TEXT_OFFSET, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

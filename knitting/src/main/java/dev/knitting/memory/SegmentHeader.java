package dev.knitting.memory;

/**
 * The constant part of a segment's header; the fields are those of {@link SegmentHeaderLayout}. Magic, version, byte
 * order and total length are added when it is written.
 *
 * @param discipline how workers share submit mailboxes, a {@code DISCIPLINE_} constant
 * @param laneCount lanes in this segment, 1 to {@link SegmentHeaderLayout#MAX_LANES}
 * @param host who created the segment
 * @param processors processors that the host counted, at least 1
 * @param flags {@code FLAG_} bits
 * @param epoch the host's common zero of times
 * @param taskTableOffset first byte of the task table
 * @param taskTableLength its bytes
 * @param firstLaneOffset first byte of lane 0
 * @param laneStride bytes from one lane to the next
 */
public record SegmentHeader(
        int discipline,
        int laneCount,
        ProcessIdentity host,
        int processors,
        int flags,
        long epoch,
        long taskTableOffset,
        long taskTableLength,
        long firstLaneOffset,
        long laneStride) {}

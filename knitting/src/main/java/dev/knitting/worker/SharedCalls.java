package dev.knitting.worker;

import dev.knitting.boot.WorkerConfig;
import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.DekkerReader;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.TicketReader;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The worker's end of the submit mailbox that all workers of a pool serve. */
final class SharedCalls {
    private SharedCalls() {}

    /** A reader of it, or null if each worker has a mailbox of its own. */
    static @Nullable ClaimReader of(SharedSegment segment, SegmentHeaderView header, LaneView lane) {
        int discipline = header.disciplinePlain();
        if (discipline == SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES) {
            return null;
        }
        int number = (int) ((lane.base() - header.firstLaneOffsetPlain()) / header.laneStridePlain());
        ByteBuffer window = segment.window(header.sharedMailboxOffset(), (int) SharedMailboxLayout.ARENA_OFFSET);
        return discipline == SegmentHeaderLayout.DISCIPLINE_DEKKER
                ? new DekkerReader(window, number, header.laneCountPlain())
                : new TicketReader(window, number + 1);
    }

    /** Where shared buffers start: behind all lanes, and this mailbox if there is one. */
    static long buffersOffset(SegmentHeaderView header, WorkerConfig config) {
        long end = header.sharedMailboxOffset();
        if (header.disciplinePlain() != SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES) {
            end += SharedMailboxLayout.bytes(config.arenaBytes());
        }
        return end + 4095 & -4096L;
    }

    /** Where the arena of its payloads starts. */
    static long arenaOffset(SegmentHeaderView header) {
        return header.sharedMailboxOffset() + SharedMailboxLayout.ARENA_OFFSET;
    }
}

package dev.knitting.jcstress;

import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Native memory for the states of tests: a ring of areas, each as long as a lane's control words, mailboxes and abort records.
 * jcstress makes states by the thousand and each of them would be an allocation of 94 KiB; so an area is used again once
 * all others were, which must be later than its state's end. What a test reads it must have reset.
 */
public final class Areas {
    private static final long BYTES = (LaneLayout.ARENAS_OFFSET + 4095) & -4096L;
    private static final int AREAS = 4096;
    private static final MemorySegment ALL = Arena.global().allocate(BYTES * AREAS, 4096);
    private static final AtomicInteger NEXT = new AtomicInteger();

    private Areas() {}

    /** The next area. */
    public static MemorySegment take() {
        return ALL.asSlice((NEXT.getAndIncrement() & AREAS - 1) * BYTES, BYTES, 4096);
    }

    /** An area as a buffer. */
    public static ByteBuffer buffer(MemorySegment area) {
        return area.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** An area as a lane, reset as for its first incarnation. */
    public static LaneView lane(MemorySegment area) {
        LaneView lane = new LaneView(area, 0);
        lane.resetForIncarnation(1, 0, 0);
        return lane;
    }
}

package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.fuzz.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Fuzz target: a segment's header, and a task table behind it, after somebody else wrote there. */
public final class SegmentFuzz {
    private static final int LENGTH = 64 * 1024;
    private static final int TABLE = 8192;
    private static final int TABLE_BYTES = 16_384;
    private static final int HEADER_BYTES = 256;
    private static final long MOST_BYTES = 4L << 20;
    private static final MemorySegment MEMORY = Arena.global().allocate(LENGTH, 4096);
    private static final SegmentHeader HEADER =
            new SegmentHeader(0, 2, new ProcessIdentity(1, 1), 2, 0, 0, TABLE, TABLE_BYTES, 32_768, 8192);

    private SegmentFuzz() {}

    /** The first bytes are the header, the next ones the table; which tasks are read, the last byte says. */
    public static void fuzzerTestOneInput(byte[] data) {
        MEMORY.fill((byte) 0);
        int header = Math.min(data.length, HEADER_BYTES);
        MemorySegment.copy(data, 0, MEMORY, ValueLayout.JAVA_BYTE, 0, header);
        MemorySegment.copy(
                data, header, MEMORY, ValueLayout.JAVA_BYTE, TABLE, Math.min(data.length - header, TABLE_BYTES));
        int most = data.length == 0 ? 0 : data[data.length - 1] & 0xFF;
        Allocation.bounded(MOST_BYTES + (long) most * TABLE_BYTES, () -> read(most));
    }

    private static void read(int most) {
        try {
            SegmentHeaderView view = SegmentHeaderView.attach(MEMORY);
            MEMORY.asSlice(view.taskTableOffsetPlain(), view.taskTableLengthPlain());
            MEMORY.asSlice(view.firstLaneOffsetPlain(), view.laneStridePlain() * view.laneCountPlain());

            SegmentHeaderView.attach(MEMORY);
        } catch (KnittingException e) {
            require(e, ErrorCode.LAYOUT_MISMATCH);
        }
        TaskTableReader table = new TaskTableReader(MEMORY, TABLE, TABLE_BYTES);
        for (int id = -1; id < most; id++) {
            try {
                table.read(id);
            } catch (KnittingException e) {
                require(e, ErrorCode.CORRUPT_PEER, ErrorCode.TASK_NOT_FOUND);
                if (id >= 0) {
                    break;
                }
            }
        }
    }

    private static void require(KnittingException e, ErrorCode... allowed) {
        if (!List.of(allowed).contains(e.code())) {
            throw e;
        }
    }

    /** Good inputs. */
    public static List<byte[]> seeds() {
        MemorySegment memory = Arena.ofAuto().allocate(LENGTH, 4096);
        SegmentHeaderView.write(memory, HEADER);
        byte[] table = new byte[256];
        table[0] = 2;
        table[128] = 5;
        table[140] = 11;
        byte[] bytes = new byte[HEADER_BYTES + table.length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, bytes, 0, HEADER_BYTES);
        System.arraycopy(table, 0, bytes, HEADER_BYTES, table.length);
        bytes[bytes.length - 1] = 3;
        List<byte[]> seeds = new ArrayList<>();
        seeds.add(bytes);
        seeds.add(new byte[HEADER_BYTES]);
        return seeds;
    }
}

package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever a peer writes: a refusal with a code, or values that lie inside the segment; never anything else. */
class HostileMemoryPropertyTest {
    private static final int LENGTH = 64 * 1024;
    private static final SegmentHeader HEADER =
            new SegmentHeader(0, 2, new ProcessIdentity(1, 1), 2, 0, 0, 4096, 8192, 16384, 8192);

    @Property
    void attach_wordsOverwritten_isRefusedOrConsistent(
            @ForAll @Size(min = 1, max = 4) List<@IntRange(max = 31) Integer> words, @ForAll long value) {
        MemorySegment memory = Arena.ofAuto().allocate(LENGTH, 4096);
        SegmentHeaderView.write(memory, HEADER);
        for (int word : words) {
            SharedWords.setIntPlain(memory, word * 4L, (int) (value >>> (word & 31)));
        }
        try {
            SegmentHeaderView view = SegmentHeaderView.attach(memory);
            assertThat(view.laneCountPlain()).isPositive();
            memory.asSlice(view.taskTableOffsetPlain(), view.taskTableLengthPlain());
            memory.asSlice(view.firstLaneOffsetPlain(), view.laneStridePlain() * view.laneCountPlain());
        } catch (KnittingException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.LAYOUT_MISMATCH);
        }
    }

    @Property
    void read_lengthsOverwritten_isRefusedOrInside(
            @ForAll @Size(8) List<Integer> lengths,
            @ForAll @IntRange(min = 1, max = 9) int count,
            @ForAll @IntRange(max = 8) int id) {
        MemorySegment memory = Arena.ofAuto().allocate(1024, 128);
        for (int i = 0; i < lengths.size(); i++) {
            SharedWords.setIntPlain(memory, 128 + i * 8L, lengths.get(i) >> 3 * i); // from wild to small
        }
        SharedWords.setIntRelease(memory, 0, count);
        try {
            assertThat(new TaskTableReader(memory, 0, 512).read(id)).hasSizeLessThan(512);
        } catch (KnittingException e) {
            assertThat(e.code()).isIn(ErrorCode.CORRUPT_PEER, ErrorCode.TASK_NOT_FOUND);
        }
    }
}

package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class SegmentHeaderTest {
    private static final int LENGTH = 1 << 20;
    private static final SegmentHeader HEADER = new SegmentHeader(
            SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES,
            3,
            new ProcessIdentity(77, 12345),
            2,
            SegmentHeaderLayout.FLAG_FUTEX_BELLS,
            -9,
            4096,
            65536,
            128 * 1024,
            256 * 1024);

    private final MemorySegment memory = Arena.ofAuto().allocate(LENGTH, 4096);

    @TempDir
    private Path directory;

    private void assertRefused(String... parts) {
        assertThatThrownBy(() -> SegmentHeaderView.attach(memory))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LAYOUT_MISMATCH))
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @CsvSource({
        "magic, 0",
        "layoutVersion, 8",
        "byteOrder, 12",
        "totalLength, 16",
        "discipline, 24",
        "laneCount, 28",
        "hostPid, 32",
        "hostStart, 40",
        "processors, 48",
        "flags, 52",
        "epoch, 56",
        "taskTableOffset, 64",
        "taskTableLength, 72",
        "firstLaneOffset, 80",
        "laneStride, 88",
        "heartbeat, 128",
        "queued, 136",
        "hostBell, 256",
        "awakeWorkers, 384"
    })
    void layout_field_liesWhereTheDiagramSays(String name, long offset) {
        assertThat(SegmentHeaderLayout.LAYOUT.byteOffset(PathElement.groupElement(name)))
                .isEqualTo(offset);
    }

    @Test
    void layout_constants_equalTheLayout() {
        List<Long> constants = List.of(
                SegmentHeaderLayout.MAGIC_OFFSET,
                SegmentHeaderLayout.LAYOUT_VERSION_OFFSET,
                SegmentHeaderLayout.BYTE_ORDER_OFFSET,
                SegmentHeaderLayout.TOTAL_LENGTH_OFFSET,
                SegmentHeaderLayout.DISCIPLINE_OFFSET,
                SegmentHeaderLayout.LANE_COUNT_OFFSET,
                SegmentHeaderLayout.HOST_PID_OFFSET,
                SegmentHeaderLayout.HOST_START_OFFSET,
                SegmentHeaderLayout.PROCESSORS_OFFSET,
                SegmentHeaderLayout.FLAGS_OFFSET,
                SegmentHeaderLayout.EPOCH_OFFSET,
                SegmentHeaderLayout.TASK_TABLE_OFFSET_OFFSET,
                SegmentHeaderLayout.TASK_TABLE_LENGTH_OFFSET,
                SegmentHeaderLayout.FIRST_LANE_OFFSET_OFFSET,
                SegmentHeaderLayout.LANE_STRIDE_OFFSET,
                SegmentHeaderLayout.HEARTBEAT_OFFSET,
                SegmentHeaderLayout.QUEUED_OFFSET,
                SegmentHeaderLayout.HOST_BELL_OFFSET,
                SegmentHeaderLayout.AWAKE_WORKERS_OFFSET);
        List<Long> derived = SegmentHeaderLayout.LAYOUT.memberLayouts().stream()
                .filter(member -> !(member instanceof PaddingLayout))
                .map(MemoryLayout::name)
                .map(name -> SegmentHeaderLayout.LAYOUT.byteOffset(PathElement.groupElement(name.orElseThrow())))
                .toList();

        assertThat(constants).isEqualTo(derived);
        assertThat(SegmentHeaderLayout.LAYOUT.byteSize()).isEqualTo(SegmentHeaderLayout.SIZE_BYTES);
    }

    @Test
    void attach_completeHeader_readsEveryField() {
        SegmentHeaderView.write(memory, HEADER);
        SegmentHeaderView view = SegmentHeaderView.attach(memory);

        SegmentHeader read = new SegmentHeader(
                view.disciplinePlain(),
                view.laneCountPlain(),
                new ProcessIdentity(view.hostPidPlain(), view.hostStartPlain()),
                view.processorsPlain(),
                view.flagsPlain(),
                view.epochPlain(),
                view.taskTableOffsetPlain(),
                view.taskTableLengthPlain(),
                view.firstLaneOffsetPlain(),
                view.laneStridePlain());
        assertThat(read).isEqualTo(HEADER);
        assertThat(view.totalLengthPlain()).isEqualTo(LENGTH);
        assertThat(view.heartbeatOpaque()).isZero();
        assertThat(view.awakeWorkersOpaque()).isZero();
    }

    @Test
    void liveWords_areSharedBetweenViews() {
        SegmentHeaderView host = SegmentHeaderView.write(memory, HEADER);
        SegmentHeaderView worker = SegmentHeaderView.attach(memory);

        host.heartbeatOpaque(5);
        assertThat(worker.addAwakeWorkersVolatile(2)).isZero();
        assertThat(worker.addAwakeWorkersVolatile(-1)).isEqualTo(2);

        assertThat(worker.heartbeatOpaque()).isEqualTo(5);
        assertThat(host.awakeWorkersOpaque()).isEqualTo(1);
    }

    @Test
    void attach_otherVersion_namesBothNumbers() {
        SegmentHeaderView.write(memory, HEADER);
        SharedWords.setIntPlain(memory, SegmentHeaderLayout.LAYOUT_VERSION_OFFSET, 99);
        assertRefused("layoutVersion=99", "expected=" + SegmentHeaderLayout.LAYOUT_VERSION);
    }

    @Test
    void attach_notComplete_isRefused() {
        assertRefused("layoutVersion=0");
    }

    @Test
    void attach_foreignMemory_isRefused() {
        memory.fill((byte) 0x20);
        assertRefused("not a segment of this library");
    }

    @Test
    void attach_unknownDiscipline_listsTheValidOnes() {
        SegmentHeaderView.write(memory, HEADER);
        SharedWords.setIntPlain(memory, SegmentHeaderLayout.DISCIPLINE_OFFSET, 7);
        assertRefused("discipline=7", "0 (PRIVATE_LANES)");
    }

    @ParameterizedTest
    @CsvSource({
        "12, 67305985, byteOrder", // the mark with its bytes swapped
        "28, 0, laneCount",
        "28, 257, laneCount",
        "28, -1, laneCount",
        "48, 0, processors"
    })
    void attach_wordOutOfRange_isRefused(long offset, int value, String name) {
        SegmentHeaderView.write(memory, HEADER);
        SharedWords.setIntPlain(memory, offset, value);
        assertRefused(name);
    }

    @ParameterizedTest
    @CsvSource({
        "16, 1048575, totalLength",
        "64, 4095, taskTable",
        "64, 0, taskTable",
        "64, 4097, taskTable",
        "64, -4096, taskTable",
        "64, 9223372036854775680, taskTable",
        "72, 1048576, taskTable",
        "72, 9223372036854775807, taskTable",
        "72, 0, taskTable",
        "80, 524288, lanes",
        "80, 128, lanes",
        "88, 127, laneStride",
        "88, 9223372036854775807, laneStride",
        "88, -1, laneStride"
    })
    void attach_areaOutside_isRefused(long offset, long value, String name) {
        SegmentHeaderView.write(memory, HEADER);
        SharedWords.setLongPlain(memory, offset, value);
        assertRefused(name);
    }

    @Test
    void write_headerThatDoesNotFit_isRefusedAndNotPublished() {
        SegmentHeader tooManyLanes = new SegmentHeader(0, 4, HEADER.host(), 2, 0, 0, 4096, 65536, 131072, 262144);
        assertThatThrownBy(() -> SegmentHeaderView.write(memory, tooManyLanes))
                .isInstanceOf(KnittingException.class)
                .hasMessageContaining("lanes");
        assertThat(SharedWords.getIntAcquire(memory, SegmentHeaderLayout.LAYOUT_VERSION_OFFSET))
                .isZero();
    }

    @Test
    void attach_inChildJvm_loadsNothingThatOnlyAHostNeeds() throws Exception {
        try (SharedSegment segment = SharedSegment.create(Memory.PORTABLE, LENGTH, directory)) {
            ProcessIdentity self = ProcessIdentity.current();
            SegmentHeaderView.create(
                    segment, new SegmentHeader(0, 1, self, 2, 0, 0, 4096, 65536, 128 * 1024, 128 * 1024));
            TaskTable.create(segment, 4096, 65536).append(new byte[5]);
            Path log = directory.resolve("classes.log");

            try (ChildJvm child = ChildJvm.start(
                    List.of("-Xlog:class+load:file=" + log),
                    null,
                    "header",
                    segment.handover().argument())) {
                assertThat(child.rest()).isEqualTo("5+\n");
            }

            Set<String> classes = loadedClasses(log);
            assertThat(classes).contains("dev.knitting.memory.SegmentHeaderView", "dev.knitting.memory.BufferWords");
            assertThat(classes)
                    .doesNotContain(
                            "dev.knitting.memory.SegmentHeaderLayout",
                            "dev.knitting.memory.LinuxCalls",
                            "dev.knitting.memory.FileSegment",
                            "dev.knitting.memory.InheritedSegment",
                            "dev.knitting.memory.CreatedSegments",
                            "dev.knitting.memory.TaskTable",
                            "dev.knitting.memory.HostLiveness$Handles",
                            "java.lang.ProcessHandleImpl",
                            "java.lang.foreign.Linker",
                            "java.lang.invoke.StringConcatFactory",
                            "java.time.Instant",
                            "java.util.regex.Pattern",
                            "java.util.stream.Stream");
        }
    }

    /** Lines look like {@code [0.1s][info][class,load] name source: where}. */
    private static Set<String> loadedClasses(Path log) throws IOException {
        Set<String> names = new HashSet<>();
        for (String line : Files.readAllLines(log)) {
            names.add(line.substring(line.lastIndexOf(']') + 1).strip().split(" ", 2)[0]);
        }
        return names;
    }
}

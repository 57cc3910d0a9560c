package dev.knitting.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TaskTableTest {
    private static final long OFFSET = 4096;
    private static final long LENGTH = 4 << 20;

    @TempDir
    private Path directory;

    private SharedSegment segment;

    @BeforeEach
    void createSegment() {
        segment = SharedSegment.create(Memory.PORTABLE, 16 << 20, directory);
    }

    @AfterEach
    void closeSegment() {
        segment.close();
    }

    private TaskTableReader reader() {
        return new TaskTableReader(segment.memory(), OFFSET, LENGTH);
    }

    private static byte[] entry(int id) {
        return "task ".repeat(id % 7).concat(Integer.toString(id)).getBytes(StandardCharsets.UTF_8);
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void read_appendedEntries_areReadInAnyOrder() {
        TaskTable table = TaskTable.create(segment, OFFSET, LENGTH);
        for (int id = 0; id < 5000; id++) {
            assertThat(table.append(entry(id))).isEqualTo(id);
        }

        TaskTableReader reader = reader();
        assertThat(reader.countAcquire()).isEqualTo(5000).isEqualTo(table.count());
        for (int id : new int[] {4999, 0, 1, 2500, 4999}) {
            assertThat(reader.read(id)).isEqualTo(entry(id));
        }
    }

    @Test
    void read_entryAppendedLater_isSeen() {
        TaskTable table = TaskTable.create(segment, OFFSET, LENGTH);
        TaskTableReader reader = reader();
        assertCode(ErrorCode.TASK_NOT_FOUND, () -> reader.read(0));
        table.append(entry(1));
        assertThat(reader.read(0)).isEqualTo(entry(1));
        assertCode(ErrorCode.TASK_NOT_FOUND, () -> reader.read(1));
        table.append(new byte[0]);
        assertThat(reader.read(1)).isEmpty();
        assertCode(ErrorCode.TASK_NOT_FOUND, () -> reader.read(-1));
    }

    @Test
    void read_whileHostAppends_seesWholeEntries() throws Exception {
        TaskTable table = TaskTable.create(segment, OFFSET, LENGTH);
        int tasks = 20_000;
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> writer = thread.submit(() -> {
                for (int id = 0; id < tasks; id++) {
                    table.append(entry(id));
                }
            });
            TaskTableReader reader = reader();
            int next = 0;
            while (next < tasks) {
                int count = reader.countAcquire();
                for (; next < count; next++) {
                    assertThat(reader.read(next)).isEqualTo(entry(next));
                }
                if (writer.isDone()) {
                    writer.get(); // throws if it failed
                }
            }
        }
    }

    @Test
    void append_areaFull_throwsAndKeepsTheTable() {
        TaskTable table = TaskTable.create(segment, OFFSET, 256);
        table.append(new byte[60]);
        assertCode(ErrorCode.TOO_MANY_TASKS, () -> table.append(new byte[61]));
        table.append(new byte[60]);
        assertCode(ErrorCode.TOO_MANY_TASKS, () -> table.append(new byte[0]));

        TaskTableReader reader = new TaskTableReader(segment.memory(), OFFSET, 256);
        assertThat(reader.countAcquire()).isEqualTo(2);
        assertThat(reader.read(1)).hasSize(60);
    }

    @Test
    void append_tooManyTasks_throws() {
        TaskTable table = TaskTable.create(segment, OFFSET, LENGTH);
        byte[] empty = new byte[0];
        for (int id = 0; id < TaskTable.MAX_TASKS; id++) {
            table.append(empty);
        }
        assertThatThrownBy(() -> table.append(empty))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_TASKS))
                .hasMessageContaining("limit=65536");
        assertThat(reader().read(65_535)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65_537, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void read_hostileCount_isRefused(int count) {
        TaskTable.create(segment, OFFSET, LENGTH);
        SharedWords.setIntRelease(segment.memory(), OFFSET, count);
        assertCode(ErrorCode.CORRUPT_PEER, () -> reader().read(0));
        assertCode(ErrorCode.CORRUPT_PEER, () -> reader().countAcquire());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 125, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 3})
    void read_hostileLength_isRefused(int length) {
        MemorySegment memory = Arena.ofAuto().allocate(256, 128);
        SharedWords.setIntPlain(memory, 128, length);
        SharedWords.setIntRelease(memory, 0, 1);
        assertCode(ErrorCode.CORRUPT_PEER, () -> new TaskTableReader(memory, 0, 256).read(0));
    }

    @Test
    void read_longestLengthThatFits_isAccepted() {
        MemorySegment memory = Arena.ofAuto().allocate(256, 128);
        SharedWords.setIntPlain(memory, 128, 124);
        SharedWords.setIntRelease(memory, 0, 2);
        TaskTableReader reader = new TaskTableReader(memory, 0, 256);
        assertThat(reader.read(0)).hasSize(124);
        assertCode(ErrorCode.CORRUPT_PEER, () -> reader.read(1)); // no room for another length word
    }

    @Test
    void read_lengthChangedAfterItWasWalked_isCheckedAgain() {
        TaskTable table = TaskTable.create(segment, OFFSET, LENGTH);
        table.append(entry(0));
        table.append(entry(1));
        TaskTableReader reader = reader();
        assertThat(reader.read(1)).isEqualTo(entry(1));

        SharedWords.setIntPlain(segment.memory(), OFFSET + 128, Integer.MAX_VALUE);

        assertCode(ErrorCode.CORRUPT_PEER, () -> reader.read(0));
    }

    @Test
    void create_areaMisplaced_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> TaskTable.create(segment, 4100, LENGTH));
        assertThatIllegalArgumentException().isThrownBy(() -> TaskTable.create(segment, OFFSET, 255));
        assertThatIllegalArgumentException().isThrownBy(() -> TaskTable.create(segment, OFFSET, Long.MAX_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> new TaskTableReader(segment.memory(), -128, 256));
    }
}

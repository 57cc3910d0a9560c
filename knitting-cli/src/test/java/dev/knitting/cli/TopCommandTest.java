package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Pool;
import dev.knitting.observe.PoolSnapshot;
import dev.knitting.observe.WorkerSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command looks from another process at a pool of this one. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopCommandTest {
    private static final String SELF = Long.toString(ProcessHandle.current().pid());

    @TempDir
    Path folder;

    @Test
    void once_poolOfAnotherProcess_showsItsWorkers() throws Exception {
        try (Pool pool =
                Pool.processes(1).name("watched").jvm(jvm -> jvm.maxHeap("64m")).open()) {
            for (int i = 0; i < 7; i++) {
                assertThat(pool.invoke(() -> "knitting".length())).isEqualTo(8);
            }
            CommandRun run = KnitProcess.start(folder, "top", "--once", SELF).join();
            assertThat(run.err()).isEmpty();
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("pool watched  host " + SELF + "  workers 1", "CALLS/S", "TASK");
            assertThat(run.out().lines().toList().get(2).strip().split(" +"))
                    .as("index, process, start, state, calls, no rate yet")
                    .startsWith("0")
                    .contains("7", "-");
        }
    }

    @Test
    void json_poolOfAnotherProcess_isOneObjectALine() throws Exception {
        try (Pool pool = Pool.threads(2).name("watched-json").open()) {
            CommandRun run =
                    KnitProcess.start(folder, "top", "--once", "--json", SELF).join();
            assertThat(run.exitCode()).as(run.err()).isZero();
            List<Map<String, Object>> lines = run.lines();
            assertThat(lines).hasSize(1);
            assertThat(lines.get(0)).containsKey("millis");
            assertThat(lines.get(0).get("pools").toString())
                    .contains("name=watched-json", "hostPid=" + SELF, "entered=0", "queued=0");
            assertThat(pool.isClosed()).isFalse();
        }
    }

    @Test
    void live_watchedPoolsEnd_endsToo() throws Exception {
        KnitProcess top;
        try (Pool pool = Pool.threads(1).name("watched-live").open()) {
            top = KnitProcess.start(folder, "top", "--interval", "0.1", SELF);
            while (Files.size(top.out()) == 0 && top.process().isAlive()) {
                assertThat(pool.invoke(() -> "knitting".length())).isEqualTo(8);
            }
        }
        CommandRun run = top.join();
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("pool watched-live");
    }

    @Test
    void once_processWithoutPools_saysSo() {
        CommandRun run = CommandRun.of(CountingPool.of(1), "top", "--once", "1099511627776");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no pool in process 1099511627776");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void interval_tooShort_isWrongUsage() {
        CommandRun run = CommandRun.of(CountingPool.of(1), "top", "--interval", "0");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--interval must be 0.1 to 3600 seconds");
    }

    @Test
    void table_twoLooks_showsRatesAndKeepsControlCharactersOut() {
        TopTable table = new TopTable();
        String first = table.text(List.of(pool(worker(100, 0, null))), 0);
        String second = table.text(List.of(pool(worker(300, 1_000_000_000L, "a.B::c(J)J"))), 2_000_000_000L);
        assertThat(first).contains("sleeps").doesNotContain("%", "\u001b");
        assertThat(second).contains("runs", " 100 ", "50%", "a.B::c", "1.5K").doesNotContain("(J)J", "\u001b");
        assertThat(first).contains("evil?[2J");
    }

    private static PoolSnapshot pool(WorkerSnapshot worker) {
        return new PoolSnapshot(1, "evil\u001b[2J", 1, 0, 1, List.of(worker));
    }

    private static WorkerSnapshot worker(long entered, long busy, String task) {
        return new WorkerSnapshot(0, 2, 1, "READY", task == null, 0, task, entered, 0, 1536, 0, busy);
    }
}

package dev.knitting.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.TaskFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pools seen from outside: their memory is read, and nothing else. */
class RunningPoolsTest {
    private static final long SELF = ProcessHandle.current().pid();

    @TempDir
    Path directory;

    private static PoolBuilder processes(String name) {
        return Pool.processes(1).name(name).jvm(jvm -> jvm.maxHeap("64m"));
    }

    private static List<PoolSnapshot> named(String name) {
        return RunningPools.of(SELF).stream()
                .filter(pool -> pool.name().equals(name))
                .toList();
    }

    private static PoolSnapshot only(String name) {
        assertThat(named(name)).hasSize(1);
        return named(name).get(0);
    }

    private static PoolSnapshot await(String name, Predicate<PoolSnapshot> condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            PoolSnapshot pool = only(name);
            if (condition.test(pool)) {
                return pool;
            }
            assertThat(System.nanoTime() - until).as("still %s", pool).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Memory.class, names = "AUTOMATIC", mode = EnumSource.Mode.EXCLUDE)
    void of_poolOfAnyMemory_countsCallsFailuresAndBytes(Memory memory) {
        String name = "observed-" + memory;
        try (Pool pool = processes(name).memory(memory).open(ObserveTasks.INC)) {
            for (long i = 0; i < 100; i++) {
                assertThat(pool.invoke(ObserveTasks.INC, i)).isEqualTo(i + 1);
            }
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> pool.invoke(ObserveTasks.FAIL, "no")).isInstanceOf(TaskFailedException.class);
            }
            WorkerSnapshot before = only(name).workers().get(0);
            assertThat(pool.invoke(ObserveTasks.ECHO, new byte[100_000])).hasSize(100_000);
            PoolSnapshot snapshot = only(name);
            assertThat(snapshot.hostPid()).isEqualTo(SELF);
            assertThat(snapshot.tasks()).isEqualTo(3);
            assertThat(snapshot.workers()).hasSize(1);
            WorkerSnapshot worker = snapshot.workers().get(0);
            assertThat(worker.state()).isEqualTo("READY");
            assertThat(worker.incarnation()).isEqualTo(1);
            assertThat(worker.entered()).isEqualTo(104);
            assertThat(worker.failed()).isEqualTo(3);
            assertThat(worker.bytesIn() - before.bytesIn()).isEqualTo(100_000);
            assertThat(worker.bytesOut() - before.bytesOut()).isEqualTo(100_000);
            assertThat(worker.task()).isNull();
            assertThat(worker.waiting()).isZero();
            assertThat(ProcessHandle.of(worker.pid()).flatMap(ProcessHandle::parent))
                    .hasValueSatisfying(parent -> assertThat(parent.pid()).isEqualTo(SELF));
        }
        assertThat(named(name)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void of_taskRuns_namesItAndWhatWaits(Isolation isolation) throws Exception {
        String name = "observed-run-" + isolation;
        Path file = directory.resolve("go");
        try (Pool pool = Pool.of(isolation)
                .workers(1)
                .name(name)
                .jvm(jvm -> jvm.maxHeap("64m"))
                .open(ObserveTasks.INC)) {
            Call<String> running = pool.submit(ObserveTasks.AWAIT_FILE, file.toString());
            List<Call<Long>> behind = new ArrayList<>();
            for (long i = 0; i < 200; i++) {
                behind.add(pool.submit(ObserveTasks.INC, i));
            }
            PoolSnapshot snapshot = await(name, seen -> seen.workers().get(0).task() != null && seen.queued() > 0);
            WorkerSnapshot worker = snapshot.workers().get(0);
            assertThat(worker.task()).isEqualTo(ObserveTasks.AWAIT_FILE.target().toString());
            assertThat(worker.entered()).isEqualTo(1);
            assertThat(snapshot.heartbeat()).isPositive();
            await(name, seen -> seen.workers().get(0).waiting() + seen.queued() == 200);
            await(name, seen -> seen.heartbeat() > snapshot.heartbeat());
            Files.createFile(file);
            assertThat(running.join()).isEqualTo("ended");
            for (Call<Long> call : behind) {
                call.join();
            }
            PoolSnapshot after = await(name, seen -> seen.queued() == 0);
            assertThat(after.workers().get(0).task()).isNull();
            assertThat(after.workers().get(0).entered()).isEqualTo(201);
            assertThat(after.workers().get(0).busyNanos()).isGreaterThan(worker.busyNanos() + 1_000_000);
        }
    }

    @Test
    void of_workerReplaced_countsGoOnAndProcessIsAnother() {
        String name = "observed-death";
        try (Pool pool = processes(name).open(ObserveTasks.INC)) {
            assertThatThrownBy(() -> pool.invoke(ObserveTasks.FAIL, "no")).isInstanceOf(TaskFailedException.class);
            WorkerSnapshot first = only(name).workers().get(0);
            assertThatThrownBy(() -> pool.invoke(ObserveTasks.EXIT, 3)).isInstanceOf(KnittingException.class);
            assertThat(pool.invoke(ObserveTasks.INC, 1L)).isEqualTo(2L);
            WorkerSnapshot second = only(name).workers().get(0);
            assertThat(second.incarnation()).isEqualTo(2);
            assertThat(second.pid()).isNotEqualTo(first.pid());
            assertThat(second.entered()).isEqualTo(3);
            assertThat(second.failed()).isEqualTo(1);
        }
    }

    @Test
    void find_segmentForEachWorker_isOnePool() {
        String name = "observed-separate";
        try (Pool pool = processes(name).workers(2).segmentPerWorker(true).open(ObserveTasks.INC)) {
            assertThat(pool.invoke(ObserveTasks.INC, 1L)).isEqualTo(2L);
            List<PoolSnapshot> found = RunningPools.find().stream()
                    .filter(seen -> seen.name().equals(name))
                    .toList();
            assertThat(found).as("once, and not again for its workers").hasSize(1);
            assertThat(found.get(0).hostPid()).isEqualTo(SELF);
            assertThat(found.get(0).workers()).extracting(WorkerSnapshot::index).containsExactly(0, 1);
        }
    }

    @Test
    void of_processWithoutPools_isEmpty() {
        assertThat(RunningPools.of(1L << 40)).isEmpty();
    }

    /** Opens with everything that the probe promises, and with what it says is the default. */
    @Test
    void platform_probe_saysWhatPoolsCanBeOpenedWith() {
        Platform platform = Platform.probe();
        assertThat(platform.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(platform.memory()).contains(platform.defaultMemory(), Memory.PORTABLE);
        assertThat(platform.doorbells()).contains(platform.defaultDoorbells());
        for (Memory memory : platform.memory()) {
            try (Pool pool = Pool.threads(1).memory(memory).open()) {
                assertThat(pool.invoke(ObserveTasks.INC, 1L)).isEqualTo(2L);
            }
        }
        assertThat(platform.nativeAccess()).isEqualTo(platform.memory().contains(Memory.INHERITED));
    }
}

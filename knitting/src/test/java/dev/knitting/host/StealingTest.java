package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Discipline;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Stealing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that serve one mailbox: none is idle while a call waits, and what happens to one harms no other's calls. */
@ParameterizedClass
@EnumSource(Discipline.class)
class StealingTest {
    @Parameter
    Discipline discipline;

    @TempDir
    Path folder;

    private PoolBuilder pool(Isolation isolation, int workers) {
        return Pool.of(isolation)
                .workers(workers)
                .copyArguments(true)
                .jvm(jvm -> jvm.maxHeap("64m"))
                .tuning(tuning -> tuning.stealing(Stealing.ON).discipline(discipline));
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static void awaitFile(String path) {
        Watch.await("file " + path, () -> {
            try {
                return Files.exists(Path.of(path)) && Files.size(Path.of(path)) > 0;
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    /** With a mailbox each, half of the calls would wait behind the long one. */
    @Test
    void submit_oneWorkerIsHeldUp_theOtherServesAll() throws Exception {
        for (Isolation isolation : Isolation.values()) {
            String mark = path("mark-" + isolation);
            String go = path("go-" + isolation);
            try (Pool pool = pool(isolation, 2).open()) {
                Call<String> held = pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, mark + "\n" + go);
                awaitFile(mark);
                for (int round = 0; round < 20; round++) {
                    List<Call<Long>> calls = new ArrayList<>();
                    for (long i = 0; i < 100; i++) {
                        calls.add(pool.submit(ContractTasks.INC, i));
                    }
                    for (int i = 0; i < 100; i++) {
                        assertThat(calls.get(i).get(20, TimeUnit.SECONDS)).isEqualTo(i + 1L);
                    }
                }
                assertThat(held.isDone()).isFalse();
                Files.createFile(Path.of(go));
                assertThat(held.get(20, TimeUnit.SECONDS)).isEqualTo("ended");
            }
        }
    }

    @Test
    void submit_manyCalls_severalWorkersServe() throws Exception {
        try (Pool pool = pool(Isolation.PROCESSES, 3).open()) {
            Set<Long> seen = new HashSet<>();
            Watch.await("three workers", () -> {
                List<Call<Long>> calls = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    calls.add(pool.submit(DeathTasks.PID));
                }
                calls.forEach(call -> seen.add(call.join()));
                return seen.size() == 3;
            });
        }
    }

    /** What the dead one ran is lost; what nobody had claimed is served by the other one, each once. */
    @Test
    void kill_whileItRunsACall_costsThatCallAlone() throws Exception {
        String mark = path("mark");
        String runs = path("runs");
        try (Pool pool = pool(Isolation.PROCESSES, 2).open()) {
            Call<Long> doomed = pool.submit(DeathTasks.MARK_AND_HANG, mark);
            awaitFile(mark);
            List<Call<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                calls.add(pool.submit(DeathTasks.MARK, runs));
            }
            ProcessHandle.of(Long.parseLong(Files.readString(Path.of(mark)).trim()))
                    .orElseThrow()
                    .destroyForcibly();
            assertThatThrownBy(() -> doomed.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_CRASHED));
            for (Call<Long> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            assertThat(Files.readAllLines(Path.of(runs))).hasSize(40);
        }
    }

    /** A worker that the operating system does not let run holds the call that it runs, and no other one. */
    @Test
    void stop_aWorker_othersGoOn() throws Exception {
        String mark = path("mark");
        try (Pool pool = pool(Isolation.PROCESSES, 2).open()) {
            Call<Long> running = pool.submit(DeathTasks.MARK_AND_HANG, mark);
            awaitFile(mark);
            long pid = Long.parseLong(Files.readString(Path.of(mark)).trim());
            signal("STOP", pid);
            try {
                for (long i = 0; i < 500; i++) {
                    assertThat(pool.submit(ContractTasks.INC, i).get(20, TimeUnit.SECONDS))
                            .isEqualTo(i + 1);
                }
            } finally {
                signal("CONT", pid);
            }
            assertThat(running.isDone()).isFalse();
            pool.shutdownNow();
            assertThat(running.isDone()).isTrue();
        }
    }

    private static void signal(String name, long pid) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /** The only worker is busy: what waits in the mailbox is cancelled there and never runs. */
    @Test
    void cancel_notClaimedYet_neverRuns() throws Exception {
        String mark = path("mark");
        String go = path("go");
        String runs = path("runs");
        for (Isolation isolation : Isolation.values()) {
            Files.deleteIfExists(Path.of(mark));
            Files.deleteIfExists(Path.of(go));
            try (Pool pool = pool(isolation, 1).open()) {
                Call<String> held = pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, mark + "\n" + go);
                awaitFile(mark);
                Call<Long> waiting = pool.submit(DeathTasks.MARK, runs);
                assertThat(waiting.cancel(true)).isTrue();
                Files.createFile(Path.of(go));
                assertThat(held.get(20, TimeUnit.SECONDS)).isEqualTo("ended");
                assertThat(waiting.ended().get(20, TimeUnit.SECONDS)).isEqualTo(Ended.NEVER_RAN);
                assertThat(Path.of(runs)).doesNotExist();
            }
        }
    }

    /** The culprit is found by its claim; a call that waits in the mailbox for longer than its limit is no culprit. */
    @Test
    void hardTimeout_ofTheCallThatRuns_killsItsWorkerOnly() throws Exception {
        String mark = path("mark");
        try (Pool pool = pool(Isolation.PROCESSES, 2).open()) {
            Call<Long> hangs = pool.submit(DeathTasks.MARK_AND_HANG.hardTimeout(Duration.ofSeconds(2)), mark);
            awaitFile(mark);
            long culprit = Long.parseLong(Files.readString(Path.of(mark)).trim());
            long other = pool.invoke(DeathTasks.PID);
            assertThat(other).isNotEqualTo(culprit);
            assertThatThrownBy(() -> hangs.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HARD_TIMEOUT));
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2L);
            assertThat(ProcessHandle.of(other)).isPresent();
        }
    }

    /** A spare claims nothing until it is needed, and then it does. */
    @Test
    void spare_isNeeded_servesFromThen() throws Exception {
        try (Pool pool = pool(Isolation.PROCESSES, 1).spares(1).open()) {
            for (int round = 0; round < 3; round++) {
                long pid = pool.invoke(DeathTasks.PID);
                for (int i = 0; i < 50; i++) {
                    assertThat(pool.invoke(DeathTasks.PID)).isEqualTo(pid);
                }
                ProcessHandle worker = ProcessHandle.of(pid).orElseThrow();
                worker.destroyForcibly();
                worker.onExit().get(20, TimeUnit.SECONDS);
                Call<Long> next = pool.submit(DeathTasks.PID);
                assertThat(next.get(30, TimeUnit.SECONDS)).isNotEqualTo(pid);
            }
        }
    }

    /** A new worker claims nothing before somebody takes its results. */
    @Test
    void recycleAfter_eachCall_everyCallIsAnswered() throws Exception {
        try (Pool pool = pool(Isolation.THREADS, 2).recycleAfter(1).open()) {
            for (long i = 0; i < 300; i++) {
                assertThat(pool.submit(ContractTasks.INC, i).get(20, TimeUnit.SECONDS))
                        .isEqualTo(i + 1);
            }
        }
    }

    @Test
    void shutdownNow_callsWaitInTheMailbox_failAtOnce() throws Exception {
        for (Isolation isolation : Isolation.values()) {
            String mark = path("mark-" + isolation);
            String go = path("go-" + isolation);
            Pool pool = pool(isolation, 1).open();
            Call<String> running = pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, mark + "\n" + go);
            awaitFile(mark); // else it may be a waiting one too, and the worker at one of the others
            List<Call<Long>> calls = new ArrayList<>();
            for (long i = 0; i < 30; i++) {
                calls.add(pool.submit(ContractTasks.INC, i));
            }
            pool.shutdownNow();
            Files.createFile(Path.of(go)); // a thread that was left behind ends
            assertThat(running.isDone()).isTrue();
            for (Call<Long> call : calls) {
                assertThat(call.exceptionNow())
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
                assertThat(call.ended().get(20, TimeUnit.SECONDS)).isEqualTo(Ended.NEVER_RAN);
            }
        }
    }
}

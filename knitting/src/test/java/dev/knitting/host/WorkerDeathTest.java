package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that die: the call that ran fails with the reason, the others run, nothing is left. */
class WorkerDeathTest {
    @TempDir
    Path directory;

    private static PoolBuilder pool(int workers) {
        return Pool.processes(workers).name("death").jvm(jvm -> jvm.maxHeap("64m"));
    }

    private static void kill(long pid) {
        assertThat(ProcessHandle.of(pid))
                .hasValueSatisfying(
                        handle -> assertThat(handle.destroyForcibly()).isTrue());
    }

    private long awaitMark(Path file) throws IOException {
        Watch.await("the task to run", () -> Files.exists(file) && lines(file) >= 1);
        return Long.parseLong(Files.readAllLines(file).getFirst());
    }

    private static int lines(Path file) {
        try {
            return (int) Files.readString(file).chars().filter(c -> c == '\n').count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static KnittingException failureOf(CompletableFuture<?> call) throws Exception {
        try {
            call.get(60, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            return (KnittingException) e.getCause();
        }
        throw new AssertionError("did not fail: " + call);
    }

    @Test
    void kill_inMidCall_failsThatCallAndRunsTheOthers() throws Exception {
        Watch watch = Watch.start();
        Path hanging = directory.resolve("hanging");
        Path queued = directory.resolve("queued");
        try (Pool pool = pool(1).open(DeathTasks.PID)) {
            long first = pool.invoke(DeathTasks.PID);
            Call<Long> running = pool.submit(DeathTasks.MARK_AND_HANG, hanging.toString());
            assertThat(awaitMark(hanging)).isEqualTo(first);
            List<Call<Long>> behind = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                behind.add(pool.submit(DeathTasks.MARK, queued.toString()));
            }

            kill(first);

            KnittingException failure = failureOf(running);
            assertThat(failure.code()).isEqualTo(ErrorCode.WORKER_CRASHED);
            assertThat(failure).hasMessageContaining("SIGKILL").hasMessageContaining("pid=" + first);
            Set<Long> pids = new HashSet<>();
            for (Call<Long> call : behind) {
                pids.add(call.get(60, TimeUnit.SECONDS));
            }
            assertThat(pids).hasSize(1).doesNotContain(first);
            assertThat(lines(queued)).as("each ran once").isEqualTo(5);
            assertThat(pool.invoke(DeathTasks.PID)).isEqualTo(pids.iterator().next());
        }
        watch.assertNothingLeft();
    }

    @Test
    void invoke_workerKilled_throwsTheReason() throws Exception {
        Path hanging = directory.resolve("hanging");
        try (Pool pool = pool(1).open()) {
            CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> {
                try {
                    kill(awaitMark(hanging));
                } catch (IOException e) {
                    throw new CompletionException(e);
                }
            });
            assertThatThrownBy(() -> pool.invoke(DeathTasks.MARK_AND_HANG, hanging.toString()))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_CRASHED));
            killed.get(10, TimeUnit.SECONDS);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }

    @Test
    void exit_inATask_failsTheCallWithTheCode() throws Exception {
        try (Pool pool = pool(1).open()) {
            for (CompletableFuture<?> call :
                    List.of(pool.submit(DeathTasks.EXIT, 3), pool.submit(DeathTasks.HALT, 3))) {
                KnittingException failure = failureOf(call);
                assertThat(failure.code()).isEqualTo(ErrorCode.WORKER_EXITED);
                assertThat(failure).hasMessageContaining("exitCode=3");
            }
            assertThat(failureOf(pool.submit(DeathTasks.EXIT, 0)).code()).isEqualTo(ErrorCode.WORKER_EXITED);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }

    /** What was answered before the death counts. */
    @Test
    void exit_afterAnswers_keepsThem() throws Exception {
        try (Pool pool = pool(1).open(ContractTasks.INC, DeathTasks.HALT)) {
            for (int round = 0; round < 5; round++) {
                List<Call<Long>> before = new ArrayList<>();
                for (long i = 0; i < 20; i++) {
                    before.add(pool.submit(ContractTasks.INC, i));
                }
                Call<Integer> dying = pool.submit(DeathTasks.HALT, 9);
                for (int i = 0; i < 20; i++) {
                    assertThat(before.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
                }
                assertThat(failureOf(dying)).hasMessageContaining("exitCode=9");
            }
        }
    }

    @Test
    void killAll_while200CallsAreOpen_everyCallSettlesAndThePoolServes() throws Exception {
        try (Pool pool = pool(2).open(ContractTasks.SPIN_MILLIS)) {
            Watch before = Watch.start();
            List<Call<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(pool.submit(ContractTasks.SPIN_MILLIS, 2L));
            }
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            int failed = 0;
            for (Call<Long> call : calls) {
                try {
                    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(2);
                } catch (java.util.concurrent.ExecutionException e) {
                    failed++;
                    assertThat(((KnittingException) e.getCause()).code()).isEqualTo(ErrorCode.WORKER_CRASHED);
                }
            }
            assertThat(failed).as("only calls that were entered fail").isBetween(0, 2);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            Watch.await("both workers", () -> before.newChildren().size() == 2);
        }
    }

    @Test
    void kill_idleWorker_nextCallsRun() throws Exception {
        for (Memory memory : List.of(Memory.AUTOMATIC, Memory.PORTABLE)) {
            try (Pool pool = pool(1).memory(memory).open(DeathTasks.PID)) {
                long first = pool.invoke(DeathTasks.PID);
                kill(first);
                Watch.await(
                        "its death",
                        () -> !ProcessHandle.of(first)
                                .map(ProcessHandle::isAlive)
                                .orElse(false));
                Call<Long> call = pool.submit(DeathTasks.PID);
                try {
                    assertThat(call.get(60, TimeUnit.SECONDS)).isNotEqualTo(first);
                } catch (java.util.concurrent.ExecutionException e) {
                    throw new AssertionError("memory=" + memory + ": a call that was never entered failed", e);
                }
            }
        }
    }

    @Test
    void close_whileAWorkerIsReplaced_endsAndLeavesNothing() {
        Watch watch = Watch.start();
        List<String> logged = java.util.Collections.synchronizedList(new ArrayList<>());
        java.util.logging.Logger logger = java.util.logging.Logger.getLogger("dev.knitting");
        java.util.logging.Filter listening = entry -> logged.add(entry.getMessage());
        logger.setFilter(listening);
        for (int round = 0; round < 4; round++) {
            Pool pool = pool(2).open(DeathTasks.PID);
            kill(pool.invoke(DeathTasks.PID));
            if (round % 2 == 1) {
                Watch.await(
                        "a replacement",
                        () -> Thread.getAllStackTraces().keySet().stream()
                                .anyMatch(thread -> thread.getName().startsWith("knitting-replace")));
            }
            pool.close();
            assertThat(pool.isClosed()).isTrue();
        }
        watch.assertNothingLeft();
        logger.setFilter(null);
        assertThat(logged).as("closing is no failure").isEmpty();
    }

    @Test
    void shutdownNow_endlessTask_endsSoonAndFailsTheCall() throws Exception {
        Watch watch = Watch.start();
        Path hanging = directory.resolve("hanging");
        Pool pool = pool(1).open();
        Call<Long> running = pool.submit(DeathTasks.MARK_AND_HANG, hanging.toString());
        Call<Long> behind = pool.submit(DeathTasks.MARK, hanging.toString());
        long pid = awaitMark(hanging);
        long start = System.nanoTime();
        pool.shutdownNow();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                .isFalse();
        for (Call<Long> call : List.of(running, behind)) {
            assertThat(failureOf(call).code()).isEqualTo(ErrorCode.POOL_CLOSED);
        }
        watch.assertNothingLeft();
    }

    /** A dead worker is not replaced while somebody still reads its results; afterwards it is. */
    @Test
    void kill_resultNotReadYet_theResultIsWholeAndTheWorkerReplaced() throws Exception {
        try (Pool pool = pool(1).open()) {
            Call<byte[]> call = pool.submit(ContractTasks.MAKE_BYTES, 100_000);
            Call<Integer> dying = pool.submit(DeathTasks.HALT, 1);
            failureOf(dying);
            byte[] bytes = call.get(60, TimeUnit.SECONDS);
            assertThat(bytes).hasSize(100_000);
            assertThat(bytes[99_999]).isEqualTo((byte) 2);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }

    @Test
    void kill_replacementsWhileTheyStart_oneGetsThroughInTheEnd() throws Exception {
        Watch watch = Watch.start();
        try (Pool pool = pool(1).open(DeathTasks.PID)) {
            Set<Long> seen = watch.newChildren();
            seen.forEach(WorkerDeathTest::kill);
            for (int i = 0; i < 4; i++) {
                Watch.await("a replacement", () -> watch.newChildren().stream().anyMatch(pid -> !seen.contains(pid)));
                Set<Long> young = watch.newChildren();
                young.removeAll(seen);
                young.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
                seen.addAll(young);
            }
            assertThat(pool.submit(DeathTasks.PID).get(60, TimeUnit.SECONDS)).isNotIn(seen);
        }
        watch.assertNothingLeft();
    }

    @Test
    void killAndServe_30Times_leaksNothing() throws Exception {
        Watch watch = Watch.start();
        try (Pool pool = pool(3).open(DeathTasks.PID)) {
            int descriptors = 0;
            for (int cycle = 0; cycle < 10; cycle++) {
                Set<Long> pids = watch.newChildren();
                assertThat(pids).hasSize(3);
                pids.forEach(WorkerDeathTest::kill);
                List<Call<Long>> calls = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    calls.add(pool.submit(ContractTasks.SPIN_MILLIS, 1L));
                }
                for (Call<Long> call : calls) {
                    call.exceptionally(e -> 1L).get(60, TimeUnit.SECONDS); // may have been entered just before the kill
                }
                Watch.await("three new workers", () -> {
                    Set<Long> now = watch.newChildren();
                    return now.size() == 3 && now.stream().noneMatch(pids::contains);
                });
                assertThat(pool.submit(ContractTasks.INC, 1L).get(60, TimeUnit.SECONDS))
                        .isEqualTo(2);
                if (cycle == 2) {
                    descriptors = Watch.descriptors();
                }
            }
            int most = descriptors + 3;
            Watch.await("descriptors to be closed", () -> Watch.descriptors() <= most);
        }
        watch.assertNothingLeft();
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.PoolListener;
import dev.knitting.TaskFailedException;
import dev.knitting.WorkerEnd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How workers end, what is said of it, and how they are replaced. */
class SupervisionTest {
    private final Watch watch = Watch.start();
    private final Events events = new Events();

    @TempDir
    Path directory;

    private PoolBuilder processes(int workers) {
        return Pool.processes(workers)
                .name("supervised")
                .jvm(jvm -> jvm.maxHeap("64m"))
                .listener(events);
    }

    private PoolBuilder threads(int workers) {
        return Pool.threads(workers).name("supervised").listener(events);
    }

    @AfterEach
    void nothingIsLeft() {
        watch.assertNothingLeft();
    }

    private static KnittingException failureOf(CompletableFuture<?> call) throws Exception {
        try {
            Object value = call.get(60, TimeUnit.SECONDS);
            throw new AssertionError("did not fail: " + value);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(KnittingException.class);
            return (KnittingException) e.getCause();
        }
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    private static void awaitMark(Path file) {
        Watch.await("the task to run", () -> file.toFile().length() > 0);
    }

    // ---- true reasons

    @Test
    void nullDereference_inATask_isACrashWithTheReportOfTheJvm() throws Exception {
        try (Pool pool = processes(1).open()) {
            KnittingException failure = failureOf(pool.submit(EndTasks.DEREFERENCE_NULL));
            assertThat(failure.code()).isEqualTo(ErrorCode.WORKER_CRASHED);
            assertThat(failure)
                    .hasMessageContaining("signal=SIGABRT")
                    .hasMessageContaining("crashReport=")
                    .hasMessageContaining("SIGSEGV");
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            assertThat(events.awaitEnd(WorkerEnd.Reason.CRASHED).callsLost()).isEqualTo(1);
        }
    }

    @Test
    void kill_byAStranger_isACrashOfUnknownCause() throws Exception {
        Path mark = directory.resolve("mark");
        try (Pool pool = processes(1).open()) {
            Call<Long> call = pool.submit(DeathTasks.MARK_AND_HANG, mark.toString());
            awaitMark(mark);
            kill(Long.parseLong(Files.readAllLines(mark).getFirst()));
            KnittingException failure = failureOf(call);
            assertThat(failure.code()).isEqualTo(ErrorCode.WORKER_CRASHED);
            assertThat(failure).hasMessageContaining("signal=SIGKILL, cause=unknown");
        }
    }

    @Test
    void exit_inATask_isToldWithCodeAndLastOutput() throws Exception {
        try (Pool pool = processes(1).open()) {
            KnittingException failure = failureOf(pool.submit(EndTasks.PRINT_AND_EXIT, 72));
            assertThat(failure.code())
                    .as("a code of the worker's own means nothing from a task")
                    .isEqualTo(ErrorCode.WORKER_EXITED);
            assertThat(failure).hasMessageContaining("exitCode=72").hasMessageContaining("last words");
            assertThat(events.awaitEnd(WorkerEnd.Reason.EXITED).orderly()).isFalse();
        }
    }

    /** The task fails with the true reason; the process, of which nobody knows what is left, is replaced. */
    @Test
    void heapExhausted_inATask_failsItAndReplacesTheWorker() throws Exception {
        try (Pool pool = processes(1).open(DeathTasks.PID)) {
            long pid = pool.invoke(DeathTasks.PID);
            Call<Long> exhausting = pool.submit(EndTasks.EXHAUST);
            Call<Long> behind = pool.submit(DeathTasks.PID);
            assertThat(failureOf(exhausting))
                    .isInstanceOfSatisfying(
                            TaskFailedException.class,
                            e -> assertThat(e.remoteType()).isEqualTo("java.lang.OutOfMemoryError"));
            assertThat(behind.get(60, TimeUnit.SECONDS)).isNotEqualTo(pid);
            WorkerEnd end = events.awaitEnd(WorkerEnd.Reason.OUT_OF_MEMORY);
            assertThat(end.pid()).isEqualTo(pid);
            assertThat(end.callsLost()).isZero();
        }
    }

    /** A thread worker has the heap of the host, which is not given up for one task. */
    @Test
    void outOfMemory_inAThread_failsTheCallOnly() throws Exception {
        try (Pool pool = threads(1).open()) {
            String thread = pool.invoke(LimitTasks.THREAD);
            assertThat(failureOf(pool.submit(EndTasks.THROW_OUT_OF_MEMORY)))
                    .isInstanceOf(TaskFailedException.class)
                    .hasCauseInstanceOf(OutOfMemoryError.class);
            assertThat(pool.invoke(LimitTasks.THREAD)).isEqualTo(thread);
        }
    }

    /** Who asks the JVM to end at its first OutOfMemoryError gets that, and is told. */
    @Test
    void heapExhausted_jvmToldToExit_saysOutOfMemory() throws Exception {
        try (Pool pool = processes(1)
                .jvm(jvm -> jvm.options("-XX:+ExitOnOutOfMemoryError"))
                .open()) {
            KnittingException failure = failureOf(pool.submit(EndTasks.EXHAUST));
            assertThat(failure.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
            assertThat(failure).hasMessageContaining("may have run");
            events.awaitEnd(WorkerEnd.Reason.OUT_OF_MEMORY);
        }
    }

    @Test
    void uncaughtException_inAThreadOfATask_doesNotEndTheWorker() {
        try (Pool pool = processes(1).open()) {
            long pid = pool.invoke(DeathTasks.PID);
            assertThat(pool.invoke(EndTasks.FAIL_IN_A_THREAD)).isEqualTo(pid);
            for (long i = 0; i < 50; i++) {
                assertThat(pool.invoke(DeathTasks.PID)).isEqualTo(pid);
            }
        }
    }

    // ---- running again

    @Test
    void retryOnCrash_runsAgainAsOftenAsAllowed() throws Exception {
        Path once = directory.resolve("once");
        Path never = directory.resolve("never");
        Path always = directory.resolve("always");
        try (Pool pool = processes(1).open()) {
            Call<Long> second = pool.submit(EndTasks.HALT_AT_FIRST.retryOnCrash(1), once.toString());
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(failureOf(pool.submit(EndTasks.HALT_AT_FIRST, never.toString()))
                            .code())
                    .isEqualTo(ErrorCode.WORKER_EXITED);
            assertThat(Files.readAllLines(never)).as("reported, not repeated").hasSize(1);
            assertThat(failureOf(pool.submit(EndTasks.MARK_AND_HALT.retryOnCrash(2), always.toString()))
                            .code())
                    .isEqualTo(ErrorCode.WORKER_EXITED);
            assertThat(Files.readAllLines(always)).hasSize(3);
        }
    }

    /** A hard timeout is no crash: who loops for ever once would do so again. */
    @Test
    void retryOnCrash_hardTimeout_doesNotRepeat() throws Exception {
        Path mark = directory.resolve("mark");
        try (Pool pool = processes(1).open()) {
            Call<Long> call = pool.submit(
                    DeathTasks.MARK_AND_HANG.hardTimeout(Duration.ofSeconds(3)).retryOnCrash(5), mark.toString());
            assertThat(failureOf(call).code()).isEqualTo(ErrorCode.HARD_TIMEOUT);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            assertThat(Files.readAllLines(mark)).hasSize(1);
        }
    }

    /** Killers among others: each is reported once, each other runs exactly once. */
    @Test
    void halts_amongManyCalls_everyOtherRunsOnce() throws Exception {
        Path ran = directory.resolve("ran");
        try (Pool pool = processes(2).open(DeathTasks.MARK, DeathTasks.HALT)) {
            List<Call<Integer>> killers = new ArrayList<>();
            List<Call<Long>> others = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                killers.add(pool.submit(DeathTasks.HALT, 5));
                for (int j = 0; j < 5; j++) {
                    others.add(pool.submit(DeathTasks.MARK, ran.toString()));
                }
            }
            for (Call<Integer> killer : killers) {
                assertThat(failureOf(killer).code()).isEqualTo(ErrorCode.WORKER_EXITED);
            }
            for (Call<Long> call : others) {
                call.get(60, TimeUnit.SECONDS);
            }
            assertThat(Files.readAllLines(ran)).hasSize(60);
            assertThat(events.ends().stream().mapToInt(WorkerEnd::callsLost).sum())
                    .isEqualTo(12);
        }
    }

    // ---- replacement

    /** The first starts succeed; while a file exists none does: what waits is told why, and once it is gone all is well. */
    @Test
    void replacementsCannotStart_callsAreToldAndThePoolRecovers() throws Exception {
        Path broken = directory.resolve("broken");
        try (Pool pool = processes(1)
                .commandPrefix("sh", "-c", "if [ -e " + broken + " ]; then echo no luck; exit 9; fi; exec \"$@\"", "sh")
                .open(DeathTasks.PID)) {
            long first = pool.invoke(DeathTasks.PID);
            Files.createFile(broken);
            kill(first);
            Watch.await("its death", () -> !events.ends().isEmpty());
            KnittingException failure = failureOf(pool.submit(DeathTasks.PID));
            assertThat(failure.code()).isEqualTo(ErrorCode.STARTUP_FAILED);
            assertThat(failure).hasMessageContaining("exitCode=9").hasMessageContaining("no luck");
            assertThatThrownBy(() -> pool.invoke(DeathTasks.PID))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED));
            assertThat(pool.isClosed()).isFalse();
            assertThat(events.awaitEnd(WorkerEnd.Reason.STARTUP_FAILED).description())
                    .contains("no luck");
            Files.delete(broken);
            Watch.await("a worker", () -> events.started().size() == 2);
            assertThat(pool.submit(DeathTasks.PID).get(60, TimeUnit.SECONDS))
                    .isEqualTo(events.started().getLast());
        }
    }

    @Test
    void spares_workerDies_oneTakesItsSeatAtOnce() throws Exception {
        try (Pool pool = processes(1).spares(1).open(DeathTasks.PID)) {
            Set<Long> seen = new HashSet<>();
            for (int round = 0; round < 4; round++) {
                int expected = round + 2;
                Watch.await("a spare", () -> events.started().size() == expected);
                long working = pool.invoke(DeathTasks.PID);
                assertThat(seen.add(working)).isTrue();
                long spare = events.started().stream()
                        .filter(pid -> !seen.contains(pid))
                        .findFirst()
                        .orElseThrow();
                int ended = events.ends().size();
                kill(working);
                Watch.await("its death", () -> events.ends().size() > ended);
                assertThat(pool.submit(DeathTasks.PID).get(60, TimeUnit.SECONDS))
                        .isEqualTo(spare);
            }
            Watch.await("the last spare", () -> events.started().size() == 6);
        }
        assertThat(events.ends())
                .filteredOn(end -> end.reason() == WorkerEnd.Reason.CLOSED)
                .hasSize(2);
    }

    /** A worker starts at the position at which the one before ended: with that the sum is too large for a long. */
    @Test
    void recycleAfter_theMost_isNever() {
        try (Pool pool =
                threads(1).recycleAfter(Long.MAX_VALUE).listener(events).open(ContractTasks.INC)) {
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            pool.recycle();
            for (long i = 0; i < 100; i++) {
                assertThat(pool.invoke(ContractTasks.INC, i)).isEqualTo(i + 1);
            }
        }
        assertThat(events.started()).hasSize(2);
    }

    @Test
    void recycleAfter_manyCalls_replacesEachWorkerAndLosesNone() {
        for (PoolBuilder builder :
                List.of(processes(2).recycleAfter(20), threads(2).recycleAfter(20))) {
            events.ends().clear();
            try (Pool pool = builder.open(ContractTasks.INC)) {
                List<Call<Long>> calls = new ArrayList<>();
                for (long i = 0; i < 200; i++) {
                    calls.add(pool.submit(ContractTasks.INC, i));
                }
                for (int i = 0; i < 200; i++) {
                    assertThat(calls.get(i).join()).isEqualTo(i + 1);
                }
                Watch.await("recycled workers", () -> events.ends().size() >= 8);
                assertThat(events.ends()).allSatisfy(end -> {
                    assertThat(end.reason()).isEqualTo(WorkerEnd.Reason.RECYCLED);
                    assertThat(end.orderly()).isTrue();
                    assertThat(end.callsLost()).isZero();
                });
            }
        }
    }

    /** What runs is finished; what is submitted afterwards runs in a worker started afterwards. */
    @Test
    void recycle_whileCallsRun_finishesThemAndUsesNewWorkersForTheNext() throws Exception {
        Path mark = directory.resolve("mark");
        Path go = directory.resolve("go");
        try (Pool pool = processes(2).spares(1).open(DeathTasks.PID)) {
            Watch.await("the spare", () -> events.started().size() == 3);
            Set<Long> old = Set.copyOf(events.started());
            Call<String> running = pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, mark + "\n" + go);
            awaitMark(mark);
            pool.recycle();
            List<Call<Long>> after = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                after.add(pool.submit(DeathTasks.PID));
            }
            for (Call<Long> call : after) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isNotIn(old);
            }
            assertThat(running).isNotDone();
            Files.createFile(go);
            assertThat(running.get(60, TimeUnit.SECONDS)).isEqualTo("ended");
            Watch.await("all three", () -> events.started().size() == 6);
            assertThat(events.ends()).hasSize(3).allMatch(end -> end.reason() == WorkerEnd.Reason.RECYCLED);
        }
    }

    /** A task's shutdown hook that never returns does not keep the worker's place. */
    @Test
    void recycle_shutdownHookHangs_replacesTheWorker() {
        try (Pool pool = processes(1).open()) {
            long pid = pool.invoke(EndTasks.HANG_AT_EXIT);
            pool.recycle();
            assertThat(pool.submit(DeathTasks.PID).join()).isNotEqualTo(pid);
        }
    }

    // ---- the listener, and the end of the pool

    @Test
    void close_workersObey_isToldAsOrderly() {
        processes(2).open(ContractTasks.INC).close();
        assertThat(events.started()).hasSize(2).doesNotContain(-1L);
        assertThat(events.ends()).hasSize(2).allSatisfy(end -> {
            assertThat(end.reason()).isEqualTo(WorkerEnd.Reason.CLOSED);
            assertThat(end.orderly()).as("the stop was acknowledged").isTrue();
        });
    }

    @Test
    void shutdown_taskNeverEnds_keepsItsBoundAndTellsThatItWasForced() throws Exception {
        Path mark = directory.resolve("mark");
        Pool pool = processes(1).open();
        Call<Long> call = pool.submit(DeathTasks.MARK_AND_HANG, mark.toString());
        awaitMark(mark);
        long start = System.nanoTime();
        assertThat(pool.shutdown(Duration.ofMillis(300))).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(300), Duration.ofSeconds(15));
        assertThat(call).as("settled before shutdown returned").isCompletedExceptionally();
        assertThat(failureOf(call).code()).isEqualTo(ErrorCode.POOL_CLOSED);
        assertThat(events.ends()).hasSize(1).allSatisfy(end -> {
            assertThat(end.reason()).isEqualTo(WorkerEnd.Reason.CLOSED);
            assertThat(end.orderly()).isFalse();
            assertThat(end.callsLost()).isEqualTo(1);
        });
    }

    /** Callbacks may still run, but the futures themselves are settled. */
    @Test
    void close_manyTimes_everyCallIsDoneWhenItReturns() {
        for (int round = 0; round < 200; round++) {
            List<Call<Long>> calls = new ArrayList<>();
            try (Pool pool = Pool.threads(2).name("supervised").open()) {
                for (long i = 0; i < 20; i++) {
                    Call<Long> call = pool.submit(ContractTasks.INC, i);
                    call.thenRun(() -> {}); // so that a callback thread settles it
                    calls.add(call);
                }
            }
            assertThat(calls).allMatch(Call::isDone);
        }
    }

    @Test
    void listener_throws_harmsNobody() {
        PoolListener failing = new PoolListener() {
            @Override
            public void workerStarted(int worker, long pid) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void workerEnded(WorkerEnd end) {
                events.workerEnded(end);
                throw new IllegalStateException("on purpose");
            }
        };
        try (Pool pool = processes(1).listener(failing).open(DeathTasks.PID)) {
            kill(pool.invoke(DeathTasks.PID));
            events.awaitEnd(WorkerEnd.Reason.CRASHED);
            assertThat(pool.submit(ContractTasks.INC, 1L).join()).isEqualTo(2);
        }
    }
}

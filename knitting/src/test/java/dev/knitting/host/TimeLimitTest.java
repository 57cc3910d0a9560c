package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import dev.knitting.WorkerEnd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Timeouts of every form, at every state of a call; on threads and on processes. */
class TimeLimitTest {
    private static final Duration SHORT = Duration.ofMillis(150);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Watch watch = Watch.start();
    private final Events events = new Events();

    @TempDir
    Path directory;

    /** A kind of pool with a name for the report. */
    record Kind(String name, boolean processes, boolean copy) {
        PoolBuilder pool(int workers) {
            return processes
                    ? Pool.processes(workers).name("limit").jvm(jvm -> jvm.maxHeap("64m"))
                    : Pool.threads(workers).name("limit").copyArguments(copy);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Kind> kinds() {
        return List.of(
                new Kind("threads", false, false),
                new Kind("copying threads", false, true),
                new Kind("processes", true, true));
    }

    @AfterEach
    void nothingIsLeft() {
        GateTasks.open();
        LimitTasks.release();
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

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void awaitMark(Path file) {
        Watch.await("the task to run", () -> file.toFile().length() > 0);
    }

    // ---- soft timeouts

    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_callThatRuns_failsNotEarlierAndSaysSo(Kind kind) throws Exception {
        Path mark = directory.resolve("mark");
        try (Pool pool = kind.pool(1).open(LimitTasks.LINGER)) {
            long start = System.nanoTime();
            Call<String> call = pool.submit(LimitTasks.LINGER.timeout(SHORT), mark + "\n10000");
            KnittingException failure = failureOf(call);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SHORT);
            assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
            assertThat(failure)
                    .hasMessageContaining("limit=PT0.15S")
                    .hasMessageContaining("option=timeout")
                    .hasMessageContaining("linger");
            pool.shutdownNow();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_invoke_throwsIt(Kind kind) {
        try (Pool pool = kind.pool(1).open()) {
            Task<String, String> task = LimitTasks.LINGER.timeout(SHORT);
            String argument = directory.resolve("mark") + "\n10000";
            assertThatThrownBy(() -> pool.invoke(task, argument))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
            pool.shutdownNow();
        }
    }

    /** What a task makes of its interrupt is no result, also when it answers before the timeout has settled the call. */
    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_invokeOfATaskThatObeysAtOnce_throwsItEachTime(Kind kind) {
        try (Pool pool = kind.pool(1).open(CancelTasks.UNTIL_INTERRUPTED)) {
            Task<Void, String> limited = CancelTasks.UNTIL_INTERRUPTED.timeout(Duration.ofMillis(2));
            for (int i = 0; i < 300; i++) {
                assertThatThrownBy(() -> pool.invoke(limited))
                        .as("call %d", i)
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_forms_settleAsTheySay(Kind kind) throws Exception {
        String argument = directory.resolve("mark") + "\n10000";
        try (Pool pool = kind.pool(4).open(LimitTasks.LINGER)) {
            Call<String> value = pool.submit(LimitTasks.LINGER.timeout(SHORT, "late"), argument);
            Call<String> none = pool.submit(LimitTasks.LINGER.timeout(SHORT, null), argument);
            Call<String> error = pool.submit(
                    LimitTasks.LINGER.timeoutError(SHORT, () -> new IllegalStateException("mine")), argument);
            Call<String> broken = pool.submit(
                    LimitTasks.LINGER.timeoutError(SHORT, () -> {
                        throw new IllegalArgumentException("supplier");
                    }),
                    argument);
            assertThat(value.get(60, TimeUnit.SECONDS)).isEqualTo("late");
            assertThat(none.get(60, TimeUnit.SECONDS)).isNull();
            assertThatThrownBy(() -> error.get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("mine");
            KnittingException failure = failureOf(broken);
            assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
            assertThat(failure).hasCauseInstanceOf(IllegalArgumentException.class);
            assertThat(pool.<String, String>invoke(LimitTasks.LINGER.timeout(SHORT, "late"), argument))
                    .isEqualTo("late");
            assertThatThrownBy(() -> pool.invoke(
                            LimitTasks.LINGER.timeoutError(SHORT, () -> new IllegalStateException("mine")), argument))
                    .isInstanceOf(IllegalStateException.class);
            pool.shutdownNow();
        }
    }

    /** Queueing counts, and what timed out in the queue never runs. */
    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_callInTheQueue_failsAndNeverRuns(Kind kind) throws Exception {
        Path go = directory.resolve("go");
        Path ran = directory.resolve("ran");
        try (Pool pool = kind.pool(1).open(DeathTasks.MARK, DeathTasks.MARK_AND_AWAIT_FILE)) {
            Path held = directory.resolve("held");
            List<Call<String>> holding = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                holding.add(pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, held + "\n" + go));
            }
            awaitMark(held);
            List<Call<Long>> waiting = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waiting.add(pool.submit(DeathTasks.MARK.timeout(SHORT), ran.toString()));
            }
            for (Call<Long> call : waiting) {
                assertThat(failureOf(call)).hasMessageContaining("queued, it never runs");
            }
            Files.createFile(go);
            for (Call<String> call : holding) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("ended");
            }
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            assertThat(ran).doesNotExist();
        }
    }

    /** A zero timeout fails every call at once; a call that is quick enough is not harmed by one. */
    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_zeroOrLong_failsAtOnceOrNever(Kind kind) {
        Path ran = directory.resolve("ran");
        try (Pool pool = kind.pool(1).open()) {
            Call<Long> call = pool.submit(DeathTasks.MARK.timeout(Duration.ZERO), ran.toString());
            assertThat(call).isCompletedExceptionally();
            assertThatThrownBy(() -> pool.invoke(DeathTasks.MARK.timeout(Duration.ZERO), ran.toString()))
                    .isInstanceOf(KnittingException.class);
            assertThat(pool.<Long, Long>invoke(ContractTasks.INC.timeout(Duration.ZERO, 7L), 1L))
                    .isEqualTo(7);
            Task<Long, Long> limited =
                    ContractTasks.INC.timeout(LONG).hardTimeout(LONG).killAfter(LONG);
            for (long i = 0; i < 300; i++) {
                assertThat(pool.invoke(limited, i)).isEqualTo(i + 1);
                assertThat(pool.submit(limited, i).join()).isEqualTo(i + 1);
            }
            assertThat(ran).doesNotExist();
        }
    }

    @Test
    void timeout_submitterHeldByAFullQueue_isLetGo() throws Exception {
        GateTasks.shut();
        try (Pool pool = Pool.threads(1)
                .name("limit")
                .queue(1, dev.knitting.QueuePolicy.BLOCK)
                .open()) {
            CompletableFuture<List<Call<String>>> submitted = new CompletableFuture<>();
            Thread submitter = Thread.ofPlatform().daemon().start(() -> {
                List<Call<String>> calls = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    calls.add(pool.submit(GateTasks.WAIT.timeout(SHORT)));
                }
                submitted.complete(calls);
            });
            List<Call<String>> calls = submitted.get(30, TimeUnit.SECONDS); // the gate is still shut
            submitter.join();
            for (Call<String> call : calls) {
                assertThat(failureOf(call).code()).isEqualTo(ErrorCode.TIMEOUT);
            }
            GateTasks.open();
        }
    }

    /** The pool's default is for tasks that state none, lambdas among them. */
    @ParameterizedTest
    @MethodSource("kinds")
    void timeout_ofThePool_isADefault(Kind kind) throws Exception {
        String slow = directory.resolve("slow") + "\n10000";
        String quick = directory.resolve("quick") + "\n600";
        try (Pool pool = kind.pool(3).timeout(Duration.ofMillis(300)).open(LimitTasks.LINGER)) {
            Call<String> task = pool.submit(LimitTasks.LINGER, slow);
            Call<String> lambda = pool.submit(() -> LimitTasks.linger(slow));
            Call<String> own = pool.submit(LimitTasks.LINGER.timeout(LONG), quick);
            assertThat(failureOf(task).code()).isEqualTo(ErrorCode.TIMEOUT);
            assertThat(failureOf(lambda).code()).isEqualTo(ErrorCode.TIMEOUT);
            assertThat(own.get(60, TimeUnit.SECONDS)).isEqualTo("ended");
            pool.shutdownNow();
        }
    }

    @Test
    void timeout_callbacks_runOnTheirThreads() throws Exception {
        try (Pool pool = Pool.threads(1).name("limit").open()) {
            GateTasks.shut();
            String thread = pool.submit(GateTasks.WAIT.timeout(SHORT))
                    .handle((value, failure) -> Thread.currentThread().getName())
                    .get(30, TimeUnit.SECONDS);
            assertThat(thread).startsWith("knitting-callback-limit");
            GateTasks.open();
        }
    }

    @Test
    void options_badTimes_areRefusedByName() {
        assertThatThrownBy(() -> ContractTasks.INC.timeout(Duration.ofMillis(-1)))
                .isInstanceOf(KnittingException.class)
                .hasMessageContaining("option=timeout");
        assertThatThrownBy(() -> ContractTasks.INC.hardTimeout(Duration.ZERO))
                .hasMessageContaining("option=hardTimeout");
        assertThatThrownBy(() -> ContractTasks.INC.killAfter(Duration.ofMillis(-1)))
                .hasMessageContaining("option=killAfter");
        assertThatThrownBy(() -> ContractTasks.INC.retryOnCrash(-1)).hasMessageContaining("option=retryOnCrash");
        assertThatThrownBy(() -> Pool.threads(1).hardTimeout(Duration.ZERO)).hasMessageContaining("option=hardTimeout");
        assertThatThrownBy(() -> Pool.threads(1).recycleAfter(0)).hasMessageContaining("option=recycleAfter");
        assertThatThrownBy(() -> Pool.threads(1).spares(1).options())
                .hasMessageContaining("isolation=THREADS")
                .hasMessageContaining("spares=1");
        assertThatThrownBy(() -> Pool.processes(250).spares(7).options())
                .hasMessageContaining("workers=250")
                .hasMessageContaining("spares=7");
        assertThat(ContractTasks.INC.timeout(SHORT)).isNotSameAs(ContractTasks.INC);
        assertThat(ContractTasks.INC.options()).isSameAs(dev.knitting.TaskOptions.NONE);
        assertThat(ContractTasks.INC.timeout(SHORT).killAfter(LONG).options().timeout())
                .isEqualTo(SHORT);
    }

    /** Tasks that differ in their options only are one task: the table is not filled by them. */
    @Test
    void options_madeForEachCall_announceOneTask() {
        try (Pool pool = Pool.threads(1).name("limit").open()) {
            for (long i = 0; i < 70_000; i++) {
                assertThat(pool.invoke(ContractTasks.INC.timeout(LONG), i)).isEqualTo(i + 1);
            }
        }
    }

    /** Whoever stands at a breakpoint is not timed out. */
    @Test
    void debugWorkers_timesStandStill() throws Exception {
        try (Pool pool =
                new Kind("", true, true).pool(1).debugWorkers().listener(events).open()) {
            Task<String, String> task =
                    LimitTasks.LINGER.timeout(SHORT).hardTimeout(SHORT).killAfter(Duration.ZERO);
            String argument = directory.resolve("mark") + "\n600";
            assertThat(pool.submit(task, argument).get(60, TimeUnit.SECONDS)).isEqualTo("ended");
            assertThat(events.ends()).isEmpty();
        }
    }

    // ---- hard timeouts

    @Test
    void hardTimeout_process_killsOneWorkerAndFailsOneCall() throws Exception {
        Path mark = directory.resolve("mark");
        Path queued = directory.resolve("queued");
        try (Pool pool = new Kind("", true, true).pool(2).listener(events).open(DeathTasks.PID)) {
            Call<Long> hanging =
                    pool.submit(DeathTasks.MARK_AND_HANG.hardTimeout(Duration.ofMillis(700)), mark.toString());
            awaitMark(mark);
            long pid = Long.parseLong(Files.readAllLines(mark).getFirst());
            List<Call<Long>> others = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                others.add(pool.submit(ContractTasks.SPIN_MILLIS, 20L));
                others.add(pool.submit(DeathTasks.MARK, queued.toString()));
            }
            KnittingException failure = failureOf(hanging);
            assertThat(failure.code()).isEqualTo(ErrorCode.HARD_TIMEOUT);
            assertThat(failure)
                    .hasMessageContaining("limit=PT0.7S")
                    .hasMessageContaining("option=hardTimeout")
                    .hasMessageContaining("markAndHang");
            for (Call<Long> call : others) {
                call.get(60, TimeUnit.SECONDS);
            }
            assertThat(Files.readAllLines(queued)).as("each ran once").hasSize(40);
            WorkerEnd end = events.awaitEnd(WorkerEnd.Reason.HARD_TIMEOUT);
            assertThat(end.pid()).isEqualTo(pid);
            assertThat(end.callsLost()).isEqualTo(1);
            assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                    .isFalse();
            Watch.await("the replacement", () -> events.started().size() == 3);
        }
        Watch.await("three ends", () -> events.ends().size() >= 3); // a listener hears of them on another thread
        assertThat(events.ends())
                .extracting(WorkerEnd::reason)
                .containsExactlyInAnyOrder(
                        WorkerEnd.Reason.HARD_TIMEOUT, WorkerEnd.Reason.CLOSED, WorkerEnd.Reason.CLOSED);
    }

    /** The time in the queue and behind other calls does not count. */
    @ParameterizedTest
    @MethodSource("kinds")
    void hardTimeout_callsThatWaitForTheirTurn_areNotKilled(Kind kind) throws Exception {
        try (Pool pool = kind.pool(1).listener(events).open(ContractTasks.SPIN_MILLIS)) {
            Task<Long, Long> limited = ContractTasks.SPIN_MILLIS.hardTimeout(Duration.ofMillis(2_000));
            List<Call<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                calls.add(pool.submit(limited, 50L)); // three seconds in all
            }
            for (Call<Long> call : calls) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(50);
            }
            assertThat(events.ends()).isEmpty();
        }
    }

    /** Many calls just at their limit: some answered, some killed, and nobody else is harmed. */
    @Test
    void hardTimeout_processesAtTheirLimit_harmsNoOtherCall() throws Exception {
        try (Pool pool = new Kind("", true, true).pool(2).open(ContractTasks.SPIN_MILLIS, LimitTasks.SLEEP)) {
            Task<Long, Long> limited = LimitTasks.SLEEP.hardTimeout(Duration.ofMillis(60));
            List<Call<Long>> atLimit = new ArrayList<>();
            List<Call<Long>> others = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                atLimit.add(pool.submit(limited, 50L + i % 20));
                for (int j = 0; j < 4; j++) {
                    others.add(pool.submit(ContractTasks.SPIN_MILLIS, 1L));
                }
            }
            int killed = 0;
            for (Call<Long> call : atLimit) {
                try {
                    call.get(60, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    killed++;
                    assertThat(((KnittingException) e.getCause()).code()).isEqualTo(ErrorCode.HARD_TIMEOUT);
                }
            }
            assertThat(killed).isPositive();
            for (Call<Long> call : others) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            }
        }
    }

    /** A worker that is stopped before it can enter a call is stuck: it is killed, and the call runs elsewhere. */
    @Test
    void hardTimeout_workerStopped_callRunsElsewhere() throws Exception {
        try (Pool pool = new Kind("", true, true).pool(1).open(DeathTasks.PID)) {
            long pid = pool.invoke(DeathTasks.PID);
            new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
            Path stat = Path.of("/proc/" + pid + "/stat");
            Watch.await("it to stop", () -> read(stat).contains(") T "));
            Call<Long> call = pool.submit(DeathTasks.PID.hardTimeout(Duration.ofSeconds(2)));
            assertThat(call.get(60, TimeUnit.SECONDS)).isNotEqualTo(pid);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void hardTimeout_invoke_throwsItAndThePoolServes(Kind kind) {
        try (Pool pool = kind.pool(1).open()) {
            Task<String, String> task = LimitTasks.LINGER.hardTimeout(SHORT);
            String argument = directory.resolve("mark") + "\n10000";
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> pool.invoke(task, argument))
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.HARD_TIMEOUT));
            }
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }

    /** A thread that ends when it is interrupted goes on as a worker; the next call knows nothing of the interrupt. */
    @ParameterizedTest
    @MethodSource("kinds")
    void hardTimeout_threadThatObeys_keepsTheWorker(Kind kind) throws Exception {
        if (kind.processes()) {
            return;
        }
        GateTasks.shut();
        try (Pool pool = kind.pool(1).listener(events).open()) {
            String before = pool.invoke(LimitTasks.THREAD);
            for (int i = 0; i < 20; i++) {
                assertThat(failureOf(pool.submit(GateTasks.WAIT.hardTimeout(Duration.ofMillis(30))))
                                .code())
                        .isEqualTo(ErrorCode.HARD_TIMEOUT);
                assertThat(pool.invoke(LimitTasks.INTERRUPTED)).isFalse();
            }
            assertThat(pool.invoke(LimitTasks.THREAD)).isEqualTo(before);
            assertThat(events.ends()).isEmpty();
        }
    }

    /** A thread that does not is left behind: the pool has a new one, and a late answer settles nothing. */
    @ParameterizedTest
    @MethodSource("kinds")
    void hardTimeout_stubbornThread_isLeftBehindAndReplaced(Kind kind) throws Exception {
        if (kind.processes()) {
            return;
        }
        LimitTasks.hold();
        try (Pool pool = kind.pool(1).listener(events).open(ContractTasks.INC)) {
            List<Call<String>> behind = new ArrayList<>();
            for (int round = 0; round < 3; round++) {
                Call<String> stubborn = pool.submit(LimitTasks.STUBBORN.hardTimeout(SHORT));
                behind.add(pool.submit(LimitTasks.THREAD));
                assertThat(failureOf(stubborn).code()).isEqualTo(ErrorCode.HARD_TIMEOUT);
            }
            for (Call<String> call : behind) {
                assertThat(call.get(60, TimeUnit.SECONDS)).startsWith("knitting-worker-limit-0");
            }
            for (long i = 0; i < 200; i++) {
                assertThat(pool.invoke(ContractTasks.INC, i)).isEqualTo(i + 1);
            }
            Watch.await("three threads left behind", () -> threads("knitting-abandoned-worker-limit") == 3);
            assertThat(events.awaitEnd(WorkerEnd.Reason.HARD_TIMEOUT).pid()).isEqualTo(-1);
            LimitTasks.release(); // they answer now, into a lane that is another's
            Watch.await("them to end", () -> threads("knitting-abandoned-worker-limit") == 0);
            for (long i = 0; i < 200; i++) {
                assertThat(pool.invoke(ContractTasks.INC, i)).isEqualTo(i + 1);
            }
        }
    }

    /** Its memory stays mapped until it ends: no crash. */
    @ParameterizedTest
    @MethodSource("kinds")
    void close_threadLeftBehind_returnsAndHarmsNobody(Kind kind) throws Exception {
        if (kind.processes()) {
            return;
        }
        LimitTasks.hold();
        Pool pool = kind.pool(1).open(ContractTasks.INC);
        assertThat(failureOf(pool.submit(LimitTasks.STUBBORN.hardTimeout(SHORT)))
                        .code())
                .isEqualTo(ErrorCode.HARD_TIMEOUT);
        assertThat(pool.submit(ContractTasks.INC, 1L).get(60, TimeUnit.SECONDS)).isEqualTo(2);
        pool.close();
        LimitTasks.release();
        Watch.await("it to end", () -> threads("knitting-abandoned-worker-limit") == 0);
    }

    private static long threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    // ---- killAfter

    @ParameterizedTest
    @MethodSource("kinds")
    void killAfter_cancelledCallGoesOn_workerIsReplaced(Kind kind) throws Exception {
        LimitTasks.hold();
        Path mark = directory.resolve("mark");
        try (Pool pool = kind.pool(1).listener(events).open()) {
            Call<Long> call = pool.submit(LimitTasks.MARK_AND_IGNORE.killAfter(SHORT), mark.toString());
            awaitMark(mark);
            Call<Long> next = pool.submit(ContractTasks.INC, 1L);
            assertThat(call.cancel(true)).isTrue();
            assertThat(next.get(60, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(events.awaitEnd(WorkerEnd.Reason.KILLED_AFTER_CANCEL).orderly())
                    .isFalse();
            assertThat(call).isCancelled();
            LimitTasks.release();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void killAfter_timedOutCallGoesOn_workerIsReplaced(Kind kind) throws Exception {
        LimitTasks.hold();
        Path mark = directory.resolve("mark");
        try (Pool pool = kind.pool(1).listener(events).open()) {
            Task<String, Long> task =
                    LimitTasks.MARK_AND_IGNORE.timeout(Duration.ofMillis(500)).killAfter(SHORT);
            assertThat(failureOf(pool.submit(task, mark.toString())).code()).isEqualTo(ErrorCode.TIMEOUT);
            assertThat(pool.submit(ContractTasks.INC, 1L).get(60, TimeUnit.SECONDS))
                    .isEqualTo(2);
            events.awaitEnd(WorkerEnd.Reason.KILLED_AFTER_CANCEL);
            LimitTasks.release();
        }
    }

    /** Nobody is killed on account of a call that never ran, or that ended in time. */
    @ParameterizedTest
    @MethodSource("kinds")
    void killAfter_callInTheQueueOrQuick_killsNobody(Kind kind) throws Exception {
        Path go = directory.resolve("go");
        Path held = directory.resolve("held");
        try (Pool pool = kind.pool(1).listener(events).open(DeathTasks.MARK_AND_AWAIT_FILE)) {
            List<Call<String>> holding = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                holding.add(pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, held + "\n" + go));
            }
            awaitMark(held);
            AtomicInteger cancelled = new AtomicInteger();
            for (int i = 0; i < 10; i++) {
                Call<Long> call = pool.submit(ContractTasks.INC.killAfter(Duration.ZERO), 1L);
                cancelled.addAndGet(call.cancel(true) ? 1 : 0);
            }
            assertThat(cancelled).hasValue(10);
            Files.createFile(go);
            for (Call<String> call : holding) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("ended");
            }
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
            assertThat(events.ends()).isEmpty();
        }
    }
}

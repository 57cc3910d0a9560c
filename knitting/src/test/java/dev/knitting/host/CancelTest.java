package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.Call;
import dev.knitting.Doorbells;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import dev.knitting.Task;
import dev.knitting.TaskFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Cancelling and aborting, in every kind of worker: what the future says, what becomes of the work. */
@ParameterizedClass(name = "{0}")
@MethodSource("combinations")
class CancelTest {
    record Combination(Isolation isolation, boolean copying, Memory memory, Doorbells bells) {
        PoolBuilder builder() {
            return Pool.of(isolation)
                    .workers(1)
                    .copyArguments(copying)
                    .memory(memory)
                    .doorbells(bells)
                    .jvm(jvm -> jvm.maxHeap("128m"));
        }
    }

    static Stream<Combination> combinations() {
        return Stream.of(
                new Combination(Isolation.THREADS, false, Memory.AUTOMATIC, Doorbells.AUTOMATIC),
                new Combination(Isolation.THREADS, true, Memory.PORTABLE, Doorbells.SOCKET),
                new Combination(Isolation.PROCESSES, false, Memory.AUTOMATIC, Doorbells.AUTOMATIC),
                new Combination(Isolation.PROCESSES, false, Memory.PORTABLE, Doorbells.SOCKET));
    }

    private static Pool shared;

    @Parameter
    Combination combination;

    Pool pool;

    @BeforeParameterizedClassInvocation
    static void open(Combination combination) {
        shared = combination.builder().open(CancelTasks.IS_INTERRUPTED);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        shared.close();
    }

    @BeforeEach
    void use() {
        pool = shared;
    }

    /** Whatever a test did to its calls, the next one is neither cancelled nor interrupted. */
    @AfterEach
    void nextCall_isNotTouched() {
        assertThat(pool.invoke(CancelTasks.IS_INTERRUPTED)).isFalse();
        assertThat(pool.invoke(CancelTasks.IS_CANCELLED)).isFalse();
    }

    /** A call whose task has begun. */
    private <R> Call<R> running(Task<Void, R> task) throws Exception {
        return begun(pool.submit(task));
    }

    private static <R> Call<R> begun(Call<R> call) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        call.onProgress(report -> begun.countDown());
        assertThat(begun.await(30, TimeUnit.SECONDS)).as("the task has begun").isTrue();
        return call;
    }

    private static Ended end(Call<?> call) throws Exception {
        return call.ended().get(30, TimeUnit.SECONDS);
    }

    // ---- the truth table

    @Test
    void cancelTrue_running_settlesAtOnceAndInterrupts() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_INTERRUPTED);
        assertThat(call.ended()).isNotDone();
        assertThat(call.cancel(true)).isTrue();
        assertThat(call.isCancelled()).isTrue();
        assertThatThrownBy(call::join).isInstanceOf(CancellationException.class);
        assertThat(end(call)).isEqualTo(Ended.STOPPED);
    }

    @Test
    void cancelFalse_running_setsTheFlagOnly() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_CANCELLED);
        assertThat(call.cancel(false)).isTrue();
        assertThat(call.isCancelled()).isTrue();
        assertThat(end(call)).isEqualTo(Ended.STOPPED);

        Call<String> sleeping = running(CancelTasks.UNTIL_INTERRUPTED);
        assertThat(sleeping.cancel(false)).isTrue();
        assertThat(sleeping.isCancelled()).isTrue();
        assertThatThrownBy(() -> sleeping.ended().get(50, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        assertThat(sleeping.cancel(true)).as("a second, stronger cancel").isTrue();
        assertThat(end(sleeping)).isEqualTo(Ended.STOPPED);
    }

    @Test
    void cancel_runningAndDeaf_settlesAtOnceAndReturnsLater(@TempDir Path directory) throws Exception {
        Path gate = directory.resolve("gate");
        Call<String> call = begun(pool.submit(CancelTasks.DEAF_UNTIL_FILE, gate.toString()));
        assertThat(call.cancel(false)).isTrue();
        assertThat(call.isCancelled()).isTrue();
        assertThat(call.ended()).isNotDone();
        Files.createFile(gate);
        assertThat(end(call)).isEqualTo(Ended.RETURNED);
    }

    @Test
    void cancel_queuedInTheHost_neverRuns() throws Exception {
        Call<String> busy = running(CancelTasks.UNTIL_CANCELLED);
        List<Call<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            waiting.add(pool.submit(CancelTasks.IS_CANCELLED));
        }
        for (boolean interrupt : new boolean[] {true, false}) {
            Call<Boolean> last = waiting.removeLast();
            assertThat(last.cancel(interrupt)).isTrue();
            assertThat(last.isCancelled()).isTrue();
            assertThat(last.ended().getNow(null)).as("known at once").isEqualTo(Ended.NEVER_RAN);
        }
        for (Call<Boolean> call : waiting) {
            assertThat(call.cancel(true)).isTrue();
        }
        assertThat(busy).isNotDone();
        busy.abort("");
        for (Call<Boolean> call : waiting) {
            assertThat(end(call)).isEqualTo(Ended.NEVER_RAN);
        }
        assertThat(busy.join()).isEqualTo("saw the flag, interrupted=false");
        assertThat(end(busy)).isEqualTo(Ended.STOPPED);
    }

    @Test
    void cancel_finished_resultWins() throws Exception {
        for (int i = 0; i < 50; i++) {
            Call<Long> call = pool.submit(CancelTasks.SPIN_MICROS, 10L);
            Call<Long> behind = pool.submit(CancelTasks.SPIN_MICROS, 10L);
            behind.join(); // one worker: the first call's result is in the mailbox at least
            assertThat(call.cancel(true)).isFalse();
            assertThat(call.isCancelled()).isFalse();
            assertThat(call.join()).isEqualTo(10);
            assertThat(end(call)).isEqualTo(Ended.RETURNED);
        }
    }

    @Test
    void ended_callThatNobodyCancels_returned() throws Exception {
        Call<Long> before = pool.submit(CancelTasks.SPIN_MICROS, 2_000L);
        assertThat(end(before)).isEqualTo(Ended.RETURNED);
        assertThat(before.join()).isEqualTo(2_000);
        Call<String> failing = pool.submit(ContractTasks.FAIL, "on purpose");
        assertThatThrownBy(failing::join).isInstanceOf(CompletionException.class);
        assertThat(end(failing)).isEqualTo(Ended.RETURNED);
    }

    @Test
    void ended_poolIsShutDown_killedOrNeverRan() throws Exception {
        Pool closing = combination.builder().open(CancelTasks.UNTIL_INTERRUPTED);
        Call<String> runs = begun(closing.submit(CancelTasks.UNTIL_INTERRUPTED));
        Call<String> waits = closing.submit(CancelTasks.UNTIL_INTERRUPTED);
        List<Call<String>> queued = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            queued.add(closing.submit(CancelTasks.UNTIL_INTERRUPTED));
        }
        closing.shutdownNow();
        assertThat(end(runs)).isEqualTo(Ended.KILLED);
        assertThat(end(waits)).isEqualTo(Ended.NEVER_RAN);
        for (Call<String> call : queued) {
            assertThat(end(call)).isEqualTo(Ended.NEVER_RAN);
        }
        Call<String> late = closing.submit(CancelTasks.UNTIL_INTERRUPTED);
        assertThat(end(late)).isEqualTo(Ended.NEVER_RAN);
    }

    @Test
    void ended_workerDies_lost() throws Exception {
        assumeTrue(combination.isolation == Isolation.PROCESSES, "threads do not die alone");
        try (Pool dying = combination.builder().open(CancelTasks.DIE)) {
            Call<String> call = begun(dying.submit(CancelTasks.DIE));
            assertThat(call.cancel(false)).isTrue();
            assertThat(end(call)).isEqualTo(Ended.LOST);
        }
    }

    // ---- settling from outside

    @Test
    void settlingFromOutside_stopsTheWork() throws Exception {
        Call<String> completed = running(CancelTasks.UNTIL_INTERRUPTED);
        assertThat(completed.complete("from outside")).isTrue();
        assertThat(completed.join()).isEqualTo("from outside");
        assertThat(end(completed)).isEqualTo(Ended.STOPPED);

        Call<String> failed = running(CancelTasks.UNTIL_INTERRUPTED);
        assertThat(failed.completeExceptionally(new IllegalStateException("outside")))
                .isTrue();
        assertThatThrownBy(failed::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(end(failed)).isEqualTo(Ended.STOPPED);

        Call<String> timedOut = running(CancelTasks.UNTIL_INTERRUPTED);
        timedOut.orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(timedOut::join).hasCauseInstanceOf(TimeoutException.class);
        assertThat(end(timedOut)).isEqualTo(Ended.STOPPED);

        Call<String> replaced = running(CancelTasks.UNTIL_INTERRUPTED);
        replaced.completeOnTimeout("late", 1, TimeUnit.MILLISECONDS);
        assertThat(replaced.join()).isEqualTo("late");
        assertThat(end(replaced)).isEqualTo(Ended.STOPPED);

        Call<String> elsewhere = running(CancelTasks.UNTIL_INTERRUPTED);
        elsewhere.completeAsync(() -> "elsewhere");
        assertThat(elsewhere.get(30, TimeUnit.SECONDS)).isEqualTo("elsewhere");
        assertThat(end(elsewhere)).isEqualTo(Ended.STOPPED);
    }

    @Test
    void obtrude_isRefused() {
        Call<Long> call = pool.submit(CancelTasks.SPIN_MICROS, 1L);
        assertThatThrownBy(() -> call.obtrudeValue(7L)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> call.obtrudeException(new RuntimeException()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(call.join()).isEqualTo(1);
    }

    @Test
    void cancel_dependentStage_doesNotReachTheCall() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_CANCELLED);
        CompletableFuture<Integer> dependent = call.thenApply(String::length);
        assertThat(dependent.cancel(true)).isTrue();
        assertThat(call.isDone()).isFalse();
        assertThatThrownBy(() -> call.ended().get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        call.abort("enough");
        assertThat(call.join()).isEqualTo("saw the flag, interrupted=false");
    }

    // ---- abort

    @Test
    void abort_running_theTasksOwnOutcomeSettlesTheCall() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_FLAG_THEN_RUN_ON);
        assertThat(call.abort("no longer needed")).isTrue();
        assertThat(call.join()).isEqualTo("own result");
        assertThat(end(call)).isEqualTo(Ended.STOPPED);
        assertThat(call.abort("again")).isFalse();
    }

    @Test
    void abort_reason_isTheMessageOfWhatTheTaskThrows() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_THROWN);
        call.abort("grüße: no longer needed");
        call.abort("second reason");
        assertThatThrownBy(call::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(TaskFailedException.class)
                .hasMessageContaining("grüße: no longer needed")
                .hasCauseInstanceOf(CancellationException.class);
        assertThat(call.isCancelled()).isFalse();
        assertThat(end(call)).isEqualTo(Ended.STOPPED);
    }

    @Test
    void abort_longReason_isCut() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_THROWN);
        call.abort("ä".repeat(1_000));
        assertThatThrownBy(call::join).cause().hasMessageEndingWith(": " + "ä".repeat(24));
    }

    @Test
    void abort_queued_runsAndSeesTheFlag() throws Exception {
        Call<String> busy = running(CancelTasks.UNTIL_CANCELLED);
        List<Call<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(pool.submit(CancelTasks.IS_CANCELLED));
        }
        for (int i = 0; i < 100; i += 2) {
            assertThat(waiting.get(i).abort("")).isTrue();
        }
        busy.abort("");
        for (int i = 0; i < 100; i++) {
            assertThat(waiting.get(i).join()).as("call %d", i).isEqualTo(i % 2 == 0);
        }
        assertThat(busy.join()).isEqualTo("saw the flag, interrupted=false");
    }

    // ---- interrupts of the caller

    @Test
    void get_interrupted_doesNotCancel() throws Exception {
        Call<String> call = running(CancelTasks.UNTIL_CANCELLED);
        Thread.currentThread().interrupt();
        assertThatThrownBy(call::get).isInstanceOf(InterruptedException.class);
        assertThat(call.isDone()).isFalse();
        call.abort("");
        assertThat(call.join()).isEqualTo("saw the flag, interrupted=false");
    }

    @Test
    void invoke_interrupted_cancelsKeepsTheFlagAndSaysSo() throws Exception {
        Thread caller = Thread.currentThread();
        for (boolean early : new boolean[] {true, false}) {
            if (early) {
                caller.interrupt();
            } else {
                CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(caller::interrupt);
            }
            assertThatThrownBy(() -> pool.invoke(CancelTasks.UNTIL_INTERRUPTED))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERRUPTED));
            assertThat(Thread.interrupted()).as("flag kept").isTrue();
        }
        // The worker is free again although its task would have waited for ever: see nextCall_isNotTouched.
    }

    // ---- no slots to run out of

    /** The reference rejects call 259: its abort slots are used up. Here calls that may be cancelled just wait. */
    @Test
    void submit_thousandsOfCallsThatMayBeCancelled_noneIsRefused() throws Exception {
        Call<String> busy = running(CancelTasks.UNTIL_CANCELLED);
        List<Call<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            calls.add(pool.submit(CancelTasks.IS_CANCELLED));
        }
        for (int i = 0; i < 5_000; i += 2) {
            assertThat(calls.get(i).cancel(true)).isTrue();
        }
        busy.abort("");
        for (int i = 0; i < 5_000; i++) {
            if (i % 2 == 0) {
                assertThat(end(calls.get(i))).isEqualTo(Ended.NEVER_RAN);
            } else {
                assertThat(calls.get(i).join()).as("call %d", i).isFalse();
            }
        }
    }

    /** Places in the queue are free as soon as a call is cancelled, and what is left of it does not pile up. */
    @Test
    void cancel_queuedCallsForEver_queueStaysBounded() throws Exception {
        try (Pool small = combination.builder().queue(10, QueuePolicy.REJECT).open(CancelTasks.UNTIL_CANCELLED)) {
            Call<String> busy = begun(small.submit(CancelTasks.UNTIL_CANCELLED));
            for (int i = 0; i < 20_000; i++) {
                Call<Boolean> call = small.submit(CancelTasks.IS_CANCELLED);
                assertThat(call.isDone()).as("call %d is refused", i).isFalse();
                assertThat(call.cancel(true)).isTrue();
            }
            assertThat(((DefaultPool) small).queueLength()).isLessThan(5_000);
            busy.abort("");
        }
    }

    // ---- how fast

    @Test
    void cancelTrue_running_interruptsTheTaskWithinMilliseconds() throws Exception {
        int rounds = 200;
        long[] interrupts = new long[rounds];
        long[] ends = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            Call<String> call = running(CancelTasks.UNTIL_INTERRUPTED);
            CompletableFuture<Long> interrupted = new CompletableFuture<>();
            call.onProgress(report -> {
                if ("interrupted".equals(report.note())) {
                    interrupted.complete(report.done());
                }
            });
            CompletableFuture<Ended> ended = call.ended();
            long start = System.nanoTime();
            call.cancel(true);
            assertThat(ended.get(30, TimeUnit.SECONDS)).isEqualTo(Ended.STOPPED);
            ends[i] = System.nanoTime() - start;
            interrupts[i] = interrupted.get(30, TimeUnit.SECONDS) - start;
        }
        Arrays.sort(interrupts);
        Arrays.sort(ends);
        System.out.printf(
                "after cancel(true), %s: interrupted %s, ended %s%n",
                combination, percentiles(interrupts), percentiles(ends));
        assertThat(interrupts[rounds / 2]).as("median until the interrupt").isLessThan(5_000_000);
    }

    private static String percentiles(long[] sorted) {
        return "p50=%d us, p90=%d us, p99=%d us, max=%d us"
                .formatted(
                        sorted[sorted.length / 2] / 1_000,
                        sorted[sorted.length * 9 / 10] / 1_000,
                        sorted[sorted.length * 99 / 100] / 1_000,
                        sorted[sorted.length - 1] / 1_000);
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import dev.knitting.Task;
import dev.knitting.TaskContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Full queues: who waits, who runs the task itself; and pools that open in the background. */
class BackpressureTest {
    private static final Task<byte[], String> WHERE = Task.of(BackpressureTest::where);
    private static final Task<byte[], String> FAIL = Task.of(BackpressureTest::fail);

    /** Whether it runs in a worker; spoils its argument. */
    private static String where(byte[] bytes) {
        bytes[0]++;
        return (TaskContext.inWorker() ? "worker" : "host") + bytes[0];
    }

    private static String fail(byte[] bytes) throws java.io.IOException {
        throw new java.io.IOException(where(bytes));
    }

    private static PoolBuilder builder(Isolation isolation, boolean copying) {
        return Pool.of(isolation)
                .copyArguments(copying)
                .queue(2, QueuePolicy.CALLER_RUNS)
                .allowOnHost(true);
    }

    /** Occupies a worker that has not run anything, so that it is fed two calls, and both places in the queue. */
    private static List<Call<Long>> fill(Pool pool) {
        List<Call<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) { // one runs, one lies in the mailbox, two in the queue
            calls.add(pool.submit(ContractTasks.SPIN_MILLIS, 60_000L));
        }
        return calls;
    }

    @ParameterizedTest
    @CsvSource({"THREADS, false", "THREADS, true", "PROCESSES, false"})
    void callerRuns_queueFull_runsInTheHost(Isolation isolation, boolean copying) throws Exception {
        boolean copies = copying || isolation == Isolation.PROCESSES;
        try (Pool pool = builder(isolation, copying).open()) {
            byte[] argument = {5};
            List<Call<Long>> open = fill(pool);
            Call<String> here = pool.submit(WHERE, argument);
            assertThat(here.isDone()).isTrue();
            assertThat(here.join()).isEqualTo("host6");
            assertThat(argument[0]).isEqualTo((byte) (copies ? 5 : 6));
            assertThat(pool.invoke(() -> TaskContext.inWorker())).as("a lambda").isFalse();
            assertThatThrownBy(() -> pool.invoke(FAIL, argument))
                    .hasCauseExactlyInstanceOf(java.io.IOException.class)
                    .hasMessageContaining("host");
            if (copies) {
                assertThatThrownBy(() -> pool.invoke(ContractTasks.MAKE_OPAQUE)).hasMessageContaining("Opaque");
            }
            open.forEach(call -> call.cancel(true));
            Watch.await(
                    "there is room again",
                    () -> pool.submit(WHERE, new byte[] {5}).join().equals("worker6"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void callerRuns_namedAndAsyncTasks_waitForRoom(Isolation isolation) throws Exception {
        try (Pool pool = builder(isolation, false).open()) {
            Task<Void, Integer> named = Task.named(ContractTasks.class.getName(), "workerId", void.class, int.class);
            List<Call<Long>> open = fill(pool);
            CompletableFuture<Integer> result = new CompletableFuture<>();
            Thread caller = Thread.ofPlatform().daemon().start(() -> result.complete(pool.invoke(named)));
            Watch.await("the caller waits", () -> caller.getState() == Thread.State.TIMED_WAITING);
            assertThat(result.isDone()).isFalse();
            open.forEach(call -> call.cancel(true));
            assertThat(result.get(60, TimeUnit.SECONDS)).isZero();
        }
    }

    @Test
    void callerRuns_processesWithoutPermission_areRefused() {
        assertThatThrownBy(() ->
                        Pool.processes(1).queue(1, QueuePolicy.CALLER_RUNS).options())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION))
                .hasMessageContainingAll("queue=CALLER_RUNS", "allowOnHost=false");
        assertThat(Pool.threads(1).queue(1, QueuePolicy.CALLER_RUNS).options().allowOnHost())
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void submit_fromACallbackOrAWorker_neverWaits(QueuePolicy policy) throws Exception {
        if (policy == QueuePolicy.REJECT) {
            return; // fails at once, for everybody
        }
        try (Pool pool = Pool.threads(1).queue(2, policy).open()) {
            Call<Long> first = pool.submit(ContractTasks.SPIN_MILLIS, 50L);
            CompletableFuture<List<Call<Long>>> fromCallback = first.thenApply(
                    value -> pool.submitAll(ContractTasks.INC, List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L)));
            List<Call<Long>> calls = fromCallback.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < calls.size(); i++) {
                assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 2);
            }
            List<Call<Long>> fromWorker = pool.submit(
                            () -> pool.submitAll(ContractTasks.INC, List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L)))
                    .get(60, TimeUnit.SECONDS);
            for (int i = 0; i < fromWorker.size(); i++) {
                assertThat(fromWorker.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 2);
            }
        }
    }

    // ---- openAsync

    @ParameterizedTest
    @EnumSource
    void openAsync_opensInTheBackground(Isolation isolation) throws Exception {
        CompletableFuture<Pool> opening = Pool.of(isolation).openAsync(ContractTasks.INC);
        try (Pool pool = opening.get(60, TimeUnit.SECONDS)) {
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }

    @Test
    void openAsync_failure_arrivesThroughTheFuture() {
        CompletableFuture<Pool> opening =
                Pool.processes(1).openAsync(Task.named("no.such.Type", "m", long.class, long.class));
        assertThatThrownBy(opening::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND));
    }

    @Test
    void openAsync_cancelled_leavesNothing() {
        Watch watch = Watch.start();
        for (int i = 0; i < 4; i++) {
            CompletableFuture<Pool> opening = Pool.processes(2).openAsync();
            if (i % 2 == 1) {
                Watch.await("a worker starts", () -> !watch.newChildren().isEmpty() || opening.isDone());
            }
            opening.cancel(true);
            if (opening.isCancelled()) {
                watch.assertNothingLeft();
            } else {
                opening.join().close();
            }
        }
        watch.assertNothingLeft();
    }
}

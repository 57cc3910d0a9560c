package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Doorbells;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Async tasks and the life of their pool: bounds, closing, deaths, sleeping workers; and results that are held back. */
class AsyncPoolTest {
    private static PoolBuilder builder(Isolation isolation) {
        return Pool.of(isolation).workers(1).name("async");
    }

    private static void assertFails(Call<?> call, ErrorCode code) {
        assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @ParameterizedTest
    @EnumSource
    void asyncInFlight_moreCalls_waitInTheHost(Isolation isolation) throws Exception {
        try (Pool pool = builder(isolation).tuning(t -> t.asyncInFlight(3)).open()) {
            pool.invoke(AsyncTasks.MOST_OPEN);
            List<Call<Long>> calls = pool.submitAll(AsyncTasks.DELAYED, Collections.nCopies(400, 500));
            for (Call<Long> call : calls) {
                assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(1_000);
            }
            assertThat(pool.invoke(AsyncTasks.MOST_OPEN)).isBetween(2, 3);
        }
    }

    @Test
    void asyncCalls_severalWorkers_areSpread() throws Exception {
        try (Pool pool = Pool.threads(3).tuning(t -> t.asyncInFlight(2)).open()) {
            List<Call<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                calls.add(pool.submit(AsyncTasks.GATED, 100 + i));
            }
            for (int i = 0; i < 6; i++) {
                int number = 100 + i;
                Watch.await("call " + i + " has begun", () -> AsyncTasks.GATES.containsKey(number));
            }
            for (int i = 0; i < 6; i++) {
                pool.invoke(AsyncTasks.RELEASE, 100 + i);
                assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(-100 - i);
            }
        }
    }

    /** A wake that is lost costs the call an hour. */
    @ParameterizedTest
    @CsvSource({"THREADS, FUTEX", "THREADS, SOCKET", "PROCESSES, FUTEX", "PROCESSES, SOCKET"})
    void stageCompletes_whileTheWorkerSleeps_isAnswered(Isolation isolation, Doorbells bells) throws Exception {
        try (Pool pool = builder(isolation)
                .doorbells(bells)
                .tuning(t -> t.spin(Duration.ZERO).park(Duration.ofHours(1)))
                .open()) {
            for (int i = 0; i < 300; i++) {
                assertThat(pool.submit(AsyncTasks.DELAYED, i * 10).get(60, TimeUnit.SECONDS))
                        .isEqualTo(20L * i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_openStages_waitsForThem(Isolation isolation) throws Exception {
        Pool pool = builder(isolation).open();
        List<Call<Long>> calls = pool.submitAll(AsyncTasks.DELAYED, Collections.nCopies(20, 50_000));
        pool.close();
        for (Call<Long> call : calls) {
            assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(100_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNow_openStages_failsTheCalls(Isolation isolation) {
        Pool pool = builder(isolation).open();
        List<Call<Integer>> calls = pool.submitAll(AsyncTasks.GATED, List.of(200, 201, 202));
        pool.invoke(ContractTasks.INC, 1L); // by now they have begun
        pool.shutdownNow();
        for (Call<Integer> call : calls) {
            assertFails(call, ErrorCode.POOL_CLOSED);
        }
        if (isolation == Isolation.THREADS) {
            for (int number = 200; number < 203; number++) {
                CompletableFuture<Integer> stage = AsyncTasks.GATES.remove(number);
                Watch.await("the stage of a closed pool is cancelled", stage::isCancelled);
            }
        }
    }

    @Test
    void workerEnds_openStages_failWithTheReasonAndThePoolServes() throws Exception {
        try (Pool pool = builder(Isolation.PROCESSES).open()) {
            List<Call<Integer>> calls = pool.submitAll(AsyncTasks.GATED, List.of(1, 2, 3));
            pool.invoke(ContractTasks.INC, 1L); // by now they have begun
            assertFails(pool.submit(AsyncTasks.HALT, 7), ErrorCode.WORKER_EXITED);
            for (Call<Integer> call : calls) {
                assertFails(call, ErrorCode.WORKER_EXITED);
            }
            Call<Integer> next = pool.submit(AsyncTasks.GATED, 4);
            assertThat(pool.invoke(AsyncTasks.RELEASE, 4)).isTrue();
            assertThat(next.get(60, TimeUnit.SECONDS)).isEqualTo(-4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancel_openStage_cancelsIt(Isolation isolation) throws Exception {
        try (Pool pool = builder(isolation).open()) {
            for (int i = 0; i < 50; i++) {
                Call<Integer> call = pool.submit(AsyncTasks.GATED, 300);
                CompletableFuture<Ended> ended = call.ended();
                if (i % 2 == 0) {
                    pool.invoke(ContractTasks.INC, 1L); // by now it has begun, and the host knows
                }
                assertThat(call.cancel(true)).isTrue();
                Ended how = ended.get(60, TimeUnit.SECONDS);
                assertThat(how).isIn(i % 2 == 0 ? List.of(Ended.STOPPED) : List.of(Ended.STOPPED, Ended.NEVER_RAN));
                assertThat(pool.invoke(AsyncTasks.RELEASE, 300))
                        .as("somebody else completed the stage")
                        .isFalse();
            }
        }
    }

    // ---- deliverWhenIdle

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void deliverWhenIdle_resultBeforeAnotherCall_waitsForIt(boolean wanted, boolean copying) throws Exception {
        try (Pool pool = Pool.threads(1)
                .copyArguments(copying)
                .tuning(t -> t.deliverWhenIdle(wanted))
                .open()) {
            HeldTasks.shut();
            Call<String> first = pool.submit(HeldTasks.FIRST);
            HeldTasks.awaitBegun();
            Call<String> second = pool.submit(HeldTasks.SECOND);
            HeldTasks.openFirst();
            HeldTasks.awaitBegun(); // the first has run, the second runs
            if (wanted) {
                assertThatThrownBy(() -> first.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            } else {
                assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("first");
            }
            HeldTasks.openSecond();
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("second");
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("first");
        }
    }

    /** A call that has run in time is not blamed for the one behind it. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void deliverWhenIdle_callsWithAHardTimeout_areNotHeld(boolean copying, boolean firstIsAsync) throws Exception {
        try (Pool pool = Pool.threads(1)
                .copyArguments(copying)
                .tuning(t -> t.deliverWhenIdle(true))
                .open()) {
            HeldTasks.shut();
            Duration limit = Duration.ofMillis(400);
            Call<Long> unlimited = firstIsAsync ? null : pool.submit(ContractTasks.INC, 7L);
            Call<?> first = firstIsAsync
                    ? pool.submit(AsyncTasks.DELAYED.hardTimeout(limit), 1_000)
                    : pool.submit(ContractTasks.INC.hardTimeout(limit), 1L);
            if (firstIsAsync) {
                assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(2_000L);
            }
            Call<String> second = pool.submit(HeldTasks.FIRST);
            HeldTasks.awaitBegun();
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(firstIsAsync ? 2_000L : 2L);
            if (unlimited != null) { // ran before a call on whose account the worker may end
                assertThat(unlimited.get(60, TimeUnit.SECONDS)).isEqualTo(8);
            }
            HeldTasks.openFirst();
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("first");
        }
    }

    @ParameterizedTest
    @EnumSource
    void deliverWhenIdle_everyKindOfResult_arrivesUnharmed(Isolation isolation) throws Exception {
        try (Pool pool = builder(isolation).tuning(t -> t.deliverWhenIdle(true)).open()) {
            List<Call<byte[]>> bytes = new ArrayList<>();
            List<Call<Long>> numbers = new ArrayList<>();
            List<Call<Long>> later = new ArrayList<>();
            List<Call<String>> failures = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                bytes.add(pool.submit(ContractTasks.MAKE_BYTES, 2 + i * 10));
                numbers.add(pool.submit(ContractTasks.INC, (long) i));
                later.add(pool.submit(AsyncTasks.DELAYED, i));
                failures.add(pool.submit(ContractTasks.FAIL, "no " + i));
            }
            for (int i = 0; i < 500; i++) {
                byte[] result = bytes.get(i).get(60, TimeUnit.SECONDS);
                assertThat(result).hasSize(2 + i * 10).startsWith(1).endsWith(2);
                assertThat(numbers.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
                assertThat(later.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(2L * i);
                assertThatThrownBy(failures.get(i)::join).hasMessageContaining("no " + i);
            }
        }
    }
}

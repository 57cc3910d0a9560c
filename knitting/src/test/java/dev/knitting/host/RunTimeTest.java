package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a call says about its run time, for both kinds of worker. */
final class RunTimeTest {
    private static final int FAST_CALLS = 2_000;

    @ParameterizedTest
    @EnumSource
    void runTime_slowTask_isItsOwnTimeNotTheQueues(Isolation isolation) {
        try (Pool pool = Pool.of(isolation).workers(1).open(ContractTasks.SPIN_MILLIS)) {
            Call<Long> first = pool.submit(ContractTasks.SPIN_MILLIS, 300L);
            assertThat(first.runTime()).isEmpty();
            Call<Long> second = pool.submit(ContractTasks.SPIN_MILLIS, 5L);
            second.join();
            assertThat(first.runTime())
                    .hasValueSatisfying(time -> assertThat(time).isGreaterThanOrEqualTo(Duration.ofMillis(299)));
            assertThat(second.runTime())
                    .hasValueSatisfying(
                            time -> assertThat(time).isBetween(Duration.ofMillis(5), Duration.ofMillis(290)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void runTime_taskThrows_isThere(Isolation isolation) {
        try (Pool pool = Pool.of(isolation)
                .workers(1)
                .tuning(tuning -> tuning.measureEachCall(true))
                .open()) {
            Call<String> call = pool.submit(ContractTasks.FAIL, "on purpose");
            assertThat(call.handle((result, problem) -> problem).join()).isNotNull();
            assertThat(call.runTime()).isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource
    void runTime_fastTask_isSampledUnlessEachIsMeasured(Isolation isolation) {
        try (Pool sampling = Pool.of(isolation).workers(1).open();
                Pool measuring = Pool.of(isolation)
                        .workers(1)
                        .tuning(tuning -> tuning.measureEachCall(true))
                        .open()) {
            assertThat(measured(sampling)).isBetween(FAST_CALLS / 20L, FAST_CALLS - 1L);
            assertThat(measured(measuring)).isEqualTo(FAST_CALLS);
        }
    }

    @Test
    void runTime_workerDied_isUnknown() {
        try (Pool pool = Pool.processes(1).open(DeathTasks.HALT)) {
            Call<Integer> call = pool.submit(DeathTasks.HALT, 3);
            assertThat(call.handle((result, problem) -> problem).join()).isNotNull();
            assertThat(call.runTime()).isEmpty();
        }
    }

    private static long measured(Pool pool) {
        List<Call<Long>> calls = LongStream.range(0, FAST_CALLS)
                .mapToObj(i -> pool.submit(ContractTasks.INC, i))
                .toList();
        calls.forEach(Call::join);
        return calls.stream().filter(call -> call.runTime().isPresent()).count();
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.mailbox.AbortLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to calls that have begun and wait for their stages when their worker is to end, or they are. */
@Timeout(120)
class PendingStagesTest {
    private static final int PENDING = 6;
    private static final Duration SHORT = Duration.ofMillis(300);

    private final Watch watch = Watch.start();

    @AfterEach
    void nothingIsLeft() {
        AsyncTasks.GATES.clear();
        watch.assertNothingLeft();
    }

    private static Pool open(Isolation isolation) {
        return Pool.of(isolation)
                .workers(1)
                .name("pending")
                .jvm(jvm -> jvm.maxHeap("64m"))
                .open();
    }

    /** Calls whose stages wait for {@link AsyncTasks#RELEASE} with the numbers from the first one on. */
    private static List<Call<Integer>> pending(Pool pool, int first, int count) {
        List<Call<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(pool.submit(AsyncTasks.GATED, first + i));
        }
        pool.invoke(ContractTasks.INC, 1L); // one worker: those before have begun
        return calls;
    }

    private static ErrorCode codeOf(Call<?> call) throws Exception {
        try {
            Object value = call.get(60, TimeUnit.SECONDS);
            throw new AssertionError("did not fail: " + value);
        } catch (ExecutionException e) {
            return ((KnittingException) e.getCause()).code();
        }
    }

    @ParameterizedTest
    @EnumSource
    void hardTimeout_ofOneOfThem_everyCallSettlesWithItsReason(Isolation isolation) throws Exception {
        try (Pool pool = open(isolation)) {
            List<Call<Integer>> others = pending(pool, 0, PENDING);
            Call<Integer> culprit = pool.submit(AsyncTasks.GATED.hardTimeout(SHORT), 99);
            assertThat(codeOf(culprit)).isEqualTo(ErrorCode.HARD_TIMEOUT);
            boolean processes = isolation == Isolation.PROCESSES;
            assertThat(culprit.ended().get(60, TimeUnit.SECONDS)).isEqualTo(processes ? Ended.KILLED : Ended.STOPPED);
            if (processes) { // the only way to end one is to end all
                for (Call<Integer> other : others) {
                    assertThat(codeOf(other)).isEqualTo(ErrorCode.WORKER_LOST);
                    assertThat(other.ended().get(60, TimeUnit.SECONDS)).isEqualTo(Ended.KILLED);
                }
            }
            for (long i = 0; i < 100; i++) { // the lane was let go
                assertThat(pool.submit(ContractTasks.INC, i).get(60, TimeUnit.SECONDS))
                        .isEqualTo(i + 1);
            }
            for (int i = 0; !processes && i < PENDING; i++) {
                assertThat(others.get(i)).isNotDone();
                assertThat(pool.invoke(AsyncTasks.RELEASE, i)).isTrue();
                assertThat(others.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(-i);
                assertThat(others.get(i).ended().get(60, TimeUnit.SECONDS)).isEqualTo(Ended.RETURNED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void recycle_stagesPending_theyAreAnsweredBeforeTheWorkerEnds(Isolation isolation) throws Exception {
        try (Pool pool = open(isolation)) {
            List<Call<Long>> slow = new ArrayList<>();
            for (int i = 0; i < PENDING; i++) {
                slow.add(pool.submit(AsyncTasks.DELAYED, 200_000 + i));
            }
            Call<Integer> limited = pool.submit(AsyncTasks.GATED.hardTimeout(SHORT.multipliedBy(2)), 99);
            pool.invoke(ContractTasks.INC, 1L);
            pool.recycle();
            Call<Long> afterwards = pool.submit(ContractTasks.INC, 1L);
            for (int i = 0; i < PENDING; i++) {
                assertThat(slow.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(2L * (200_000 + i));
            }
            assertThat(codeOf(limited)).isEqualTo(ErrorCode.HARD_TIMEOUT);
            assertThat(afterwards.get(60, TimeUnit.SECONDS)).isEqualTo(2);
        }
    }

    /**
     * More than there are abort records, at a worker that does not look meanwhile: those that share a record get it one after
     * the other.
     */
    @ParameterizedTest
    @EnumSource
    void cancel_moreThanThereAreRecords_everyStageIsStopped(Isolation isolation) throws Exception {
        int count = 2 * AbortLayout.RECORDS + 50;
        try (Pool pool = open(isolation)) {
            long pid = pool.invoke(FaultTasks.PID);
            List<Call<Integer>> calls = pending(pool, 0, count);
            boolean processes = isolation == Isolation.PROCESSES;
            if (processes) {
                signal("STOP", pid);
            }
            calls.forEach(call -> assertThat(call.cancel(true)).isTrue());
            if (processes) {
                signal("CONT", pid);
            }
            for (Call<Integer> call : calls) {
                assertThat(call.ended().get(30, TimeUnit.SECONDS)).isEqualTo(Ended.STOPPED);
            }
        }
    }

    private static void signal(String name, long pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }
}

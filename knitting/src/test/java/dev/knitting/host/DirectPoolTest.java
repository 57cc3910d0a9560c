package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.TaskContext;
import dev.knitting.TaskFailedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DirectPoolTest {
    private static final Task<byte[], byte[]> KEEP = Task.of(DirectPoolTest::keep);
    private static final Task<Integer, Integer> RECORD_ORDER = Task.of(DirectPoolTest::recordOrder);
    private static final Task<Void, Thread> THREAD = Task.of(Thread::currentThread);
    private static final Task<Void, Boolean> IN_WORKER = Task.of(TaskContext::inWorker);
    private static final List<Integer> ORDER = new ArrayList<>();
    private static byte[] kept = {};
    private static Thread ran;

    private final Pool pool = Pool.direct();

    @AfterEach
    void close() {
        pool.close();
        ORDER.clear();
    }

    /** Changes its argument, keeps it, and answers with it. */
    private static byte[] keep(byte[] bytes) {
        bytes[0]++;
        kept = bytes;
        return bytes;
    }

    private static int recordOrder(int number) {
        ORDER.add(number);
        ran = Thread.currentThread();
        return -number;
    }

    @Test
    void invoke_argumentAndResult_areCopies() {
        byte[] argument = {1, 2};
        byte[] result = pool.invoke(KEEP, argument);
        assertThat(argument).as("the caller's own").containsExactly(1, 2);
        assertThat(result).containsExactly(2, 2).isNotSameAs(argument).isNotSameAs(kept);
        kept[1] = 99;
        assertThat(result).containsExactly(2, 2);
    }

    @Test
    void submit_callsInTurn_runInOrderAndAtOnce() {
        List<Call<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(pool.submit(RECORD_ORDER, i));
            assertThat(ORDER).hasSize(i + 1);
            assertThat(calls.get(i)).isDone();
            assertThat(ran).isSameAs(Thread.currentThread());
        }
        assertThat(ORDER).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(calls.get(7).join()).isEqualTo(-7);
    }

    @Test
    void invoke_lambda_copiesWhatItCaptured() {
        int[] captured = {1, 2, 3};
        int sum = pool.invoke(() -> {
            captured[0] = 100;
            return Arrays.stream(captured).sum();
        });
        assertThat(sum).isEqualTo(105);
        assertThat(captured).containsExactly(1, 2, 3);
    }

    @Test
    void invoke_taskThrows_failsAsInAProcess() {
        assertThatThrownBy(() -> pool.invoke(ContractTasks.FAIL, "why"))
                .isInstanceOfSatisfying(TaskFailedException.class, e -> {
                    assertThat(e.remoteType()).isEqualTo(ContractTasks.Undeclared.class.getName());
                    assertThat(e.remoteMessage()).isEqualTo("why");
                    assertThat(e.getCause()).as("undeclared: does not cross").isNull();
                });
        Call<String> declared = pool.submit(ContractTasks.FAIL_CHECKED, "io");
        assertThat(declared.exceptionNow().getCause())
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("io");
    }

    @Test
    void invoke_whatCannotCross_failsAsInAProcess() {
        assertThatThrownBy(() -> pool.invoke(ContractTasks.MAKE_OPAQUE))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD))
                .hasMessageContaining("Opaque");
        assertThatThrownBy(() -> pool.invoke(THREAD)).hasMessageContaining("Thread");
        assertThat(pool.submit(Task.named("no.such.Thing", "m", long.class, long.class), 1L)
                        .exceptionNow())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND));
    }

    @Test
    void invoke_errorInTask_failsTheCallOnly() {
        for (String kind : List.of("memory", "stack", "linkage", "assertion")) {
            assertThatThrownBy(() -> pool.invoke(ContractTasks.FAIL_ERROR, kind))
                    .as(kind)
                    .isInstanceOf(TaskFailedException.class);
        }
        assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
    }

    @Test
    void invoke_namedTask_findsIt() {
        Task<Long, Long> named = Task.named(ContractTasks.class.getName(), "inc", long.class, long.class);
        assertThat(pool.invoke(named, 4L)).isEqualTo(5);
    }

    @Test
    void submit_afterClose_failsThroughTheCall() {
        pool.close();
        assertThat(pool.isClosed()).isTrue();
        for (Call<?> call : List.<Call<?>>of(pool.submit(ContractTasks.INC, 1L), pool.submit(() -> 1))) {
            assertThat(call.exceptionNow())
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
        }
        assertThat(pool.shutdown(Duration.ZERO)).isTrue();
    }

    @Test
    void properties_sayThatThereAreNoWorkers() {
        assertThat(pool.workers()).isZero();
        assertThat(pool.isolation()).isEqualTo(Isolation.THREADS);
        assertThat(pool.isClosed()).isFalse();
        assertThat(pool.invoke(IN_WORKER)).isFalse();
    }
}

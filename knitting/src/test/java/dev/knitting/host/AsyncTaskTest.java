package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.TaskFailedException;
import dev.knitting.host.CallFormsTest.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tasks that return stages, on every kind of pool. One worker: that it goes on meanwhile is what is tested. */
@ParameterizedClass(name = "{0}")
@EnumSource
class AsyncTaskTest {
    private static Pool pool;

    @Parameter
    Kind kind;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.open();
    }

    @AfterParameterizedClassInvocation
    static void close() {
        pool.close();
    }

    private static <T> T get(Call<T> call) throws Exception {
        return call.get(60, TimeUnit.SECONDS);
    }

    @Test
    void submit_stagesCompleteInAnyOrder_eachCallGetsItsOwn() throws Exception {
        // More than the lane has places for calls that were not answered.
        List<Integer> numbers = new ArrayList<>(IntStream.range(0, 700).boxed().toList());
        List<Call<Integer>> calls = pool.submitAll(AsyncTasks.GATED, numbers);
        assertThat(pool.invoke(ContractTasks.INC, 1L)).as("the worker is free").isEqualTo(2);
        assertThat(calls).noneMatch(Call::isDone);
        List<Integer> order = new ArrayList<>(numbers);
        Collections.shuffle(order, new Random(7));
        for (int number : order) {
            assertThat(pool.invoke(AsyncTasks.RELEASE, number)).isTrue();
            assertThat(get(calls.get(number))).isEqualTo(-number);
        }
    }

    @Test
    void submit_oneStageStaysOpen_thousandsOfCallsPassIt() throws Exception {
        Call<Integer> open = pool.submit(AsyncTasks.GATED, 1);
        for (long i = 0; i < 3_000; i++) {
            assertThat(pool.invoke(ContractTasks.INC, i)).isEqualTo(i + 1);
        }
        List<Call<Long>> calls = pool.submitAll(
                ContractTasks.INC,
                java.util.stream.LongStream.range(0, 3_000).boxed().toList());
        for (int i = 0; i < calls.size(); i++) {
            assertThat(get(calls.get(i))).isEqualTo(i + 1);
        }
        assertThat(open.isDone()).isFalse();
        pool.invoke(AsyncTasks.RELEASE, 1);
        assertThat(get(open)).isEqualTo(-1);
    }

    @Test
    void invoke_stageOfAnotherThread_waitsForIt() {
        for (int i = 0; i < 200; i++) {
            assertThat(pool.invoke(AsyncTasks.DELAYED, i)).isEqualTo(2L * i);
        }
        assertThat(pool.invoke(AsyncTasks.DONE)).isEqualTo("done");
        assertThat(pool.invoke(AsyncTasks.LAMBDA, "daemon=")).isEqualTo("daemon=true");
    }

    @Test
    void submit_manyStagesOfOtherThreads_loseNothing() throws Exception {
        List<Integer> delays =
                IntStream.range(0, 20_000).map(i -> i % 300).boxed().toList();
        List<Call<Long>> calls = pool.submitAll(AsyncTasks.DELAYED, delays);
        for (int i = 0; i < delays.size(); i++) {
            assertThat(get(calls.get(i))).isEqualTo(2L * delays.get(i));
        }
    }

    @Test
    void invoke_valuesOfEveryType_arrive() {
        assertThat(pool.invoke(AsyncTasks.BYTES, "xy")).hasSize(1_000_000).startsWith('x', 'y');
        assertThat(pool.invoke(AsyncTasks.ITEM, "a")).isEqualTo(new AsyncTasks.Item("a", List.of(1, 2)));
        assertThat(pool.invoke(AsyncTasks.ITEM_SUBTYPE, "b")).isEqualTo(new AsyncTasks.Item("b", List.of()));
    }

    @Test
    void invoke_stageFails_isTheTasksFailure() {
        for (String how : List.of("at once", "dependent")) {
            assertThatThrownBy(() -> pool.invoke(AsyncTasks.FAILED, how))
                    .isInstanceOf(TaskFailedException.class)
                    .cause()
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage(how);
        }
        assertThatThrownBy(() -> pool.invoke(AsyncTasks.FAILED, "later"))
                .hasCauseExactlyInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pool.invoke(AsyncTasks.FAILED, "throws"))
                .hasCauseExactlyInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> pool.invoke(AsyncTasks.FAILED, "cancelled"))
                .isInstanceOf(TaskFailedException.class)
                .hasCauseExactlyInstanceOf(CancellationException.class);
    }

    @Test
    void invoke_noStage_failsByName() {
        assertThatThrownBy(() -> pool.invoke(AsyncTasks.FAILED, "null"))
                .isInstanceOf(TaskFailedException.class)
                .hasMessageContaining("returned no stage");
    }

    @Test
    void invoke_stageWithinAStage_isRefusedUnlessByReference() throws Exception {
        Call<CompletionStage<String>> call = pool.submit(AsyncTasks.NESTED, "x");
        if (kind == Kind.THREADS) {
            assertThat(get(call).toCompletableFuture().join()).isEqualTo("x");
        } else {
            assertThatThrownBy(call::join)
                    .cause()
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD))
                    .hasMessageContaining("java.util.concurrent.CompletionStage");
        }
    }

    @Test
    void invoke_valueThatCannotCross_failsThatCallOnly() {
        assertThat(pool.invoke(AsyncTasks.OPAQUE, "")).isEqualTo("");
        if (kind == Kind.THREADS) {
            assertThat(pool.invoke(AsyncTasks.OPAQUE, "x")).isInstanceOf(Thread.class);
        } else {
            assertThatThrownBy(() -> pool.invoke(AsyncTasks.OPAQUE, "x"))
                    .isInstanceOfSatisfying(
                            KnittingException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD));
        }
        assertThat(pool.invoke(AsyncTasks.OPAQUE, "")).isEqualTo("");
    }

    @Test
    void apply_withoutAPool_waitsForTheStage() throws Exception {
        assertThat(AsyncTasks.DELAYED.apply(5)).isEqualTo(10);
        assertThatThrownBy(() -> AsyncTasks.FAILED.apply("dependent")).isExactlyInstanceOf(IOException.class);
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Outcome;
import dev.knitting.Pool;
import dev.knitting.TaskFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The forms of tasks and of submissions, on every kind of pool. */
@ParameterizedClass(name = "{0}")
@EnumSource
class CallFormsTest {
    enum Kind {
        THREADS,
        COPYING,
        PROCESSES,
        DIRECT;

        Pool open() {
            return switch (this) {
                case THREADS -> Pool.threads(1).open();
                case COPYING -> Pool.threads(1).copyArguments(true).open();
                case PROCESSES -> Pool.processes(1).open();
                case DIRECT -> Pool.direct();
            };
        }
    }

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

    // ---- actions and other targets

    @Test
    void invoke_action_runsAndGivesNull() {
        pool.invoke(FormTasks.NOTED);
        assertThat(pool.invoke(FormTasks.NOTE, "four")).isNull();
        assertThat(pool.invoke(FormTasks.NOTE_NOTHING)).isNull();
        assertThat(pool.invoke(FormTasks.DROPPED, List.of("a", "b"))).isNull();
        assertThat(pool.submit(FormTasks.NOTE, "x").join()).isNull();
        assertThat(pool.invoke(FormTasks.NOTED)).isEqualTo(4 + 1 + 2 + 1);
    }

    @Test
    void invoke_actionThatThrows_failsWithItsException() {
        assertThatThrownBy(() -> pool.invoke(FormTasks.BAD_ACTION, "no"))
                .isInstanceOf(TaskFailedException.class)
                .hasCauseExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no");
    }

    @Test
    void invoke_constructorAndUnboundMethod_run() {
        assertThat(pool.invoke(FormTasks.PRICE, "12.50")).isEqualTo(new FormTasks.Price("12.50"));
        assertThat(pool.invoke(FormTasks.TEXT, new FormTasks.Price("x"))).isEqualTo("x");
        if (kind != Kind.THREADS) {
            assertThatThrownBy(() -> pool.invoke(FormTasks.BUILDER, "12"))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD))
                    .hasMessageContaining("java.lang.StringBuilder");
        } else {
            assertThat(pool.invoke(FormTasks.BUILDER, "12")).hasToString("12");
        }
    }

    // ---- arguments that are futures

    @Test
    void submitWhen_stageCompletesLater_runsThen() throws Exception {
        CompletableFuture<Long> argument = new CompletableFuture<>();
        Call<Long> call = pool.submitWhen(ContractTasks.INC, argument);
        assertThat(pool.invoke(ContractTasks.INC, 1L)).as("the worker is free").isEqualTo(2);
        assertThat(call.isDone()).isFalse();
        argument.complete(41L);
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(42);
    }

    @Test
    void submitWhen_stageIsComplete_runs() {
        assertThat(pool.submitWhen(ContractTasks.INC, CompletableFuture.completedFuture(1L))
                        .join())
                .isEqualTo(2);
        assertThat(pool.submitWhen(FormTasks.PRICE, CompletableFuture.completedFuture((String) null))
                        .join())
                .isEqualTo(new FormTasks.Price(null));
    }

    @Test
    void submitWhen_outOfOrder_eachGetsItsOwn() {
        List<CompletableFuture<Long>> arguments = new ArrayList<>();
        List<Call<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            arguments.add(new CompletableFuture<>());
            calls.add(pool.submitWhen(ContractTasks.INC, arguments.get(i)));
        }
        for (int i = arguments.size() - 1; i >= 0; i--) {
            arguments.get(i).complete((long) i);
        }
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i).join()).isEqualTo(i + 1);
        }
    }

    @Test
    void submitWhen_stageFails_failsTheCallAndNothingRuns() {
        pool.invoke(FormTasks.COUNT);
        CompletableFuture<Long> argument = new CompletableFuture<>();
        Call<Long> call = pool.submitWhen(FormTasks.COUNTED, argument);
        Call<Long> dependent = pool.submitWhen(FormTasks.COUNTED, argument.thenApply(value -> value + 1));
        IOException failure = new IOException("no argument");
        argument.completeExceptionally(failure);
        for (Call<Long> each : List.of(call, dependent)) {
            assertThatThrownBy(each::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCause(failure);
            assertThat(each.ended().join()).isEqualTo(Ended.NEVER_RAN);
        }
        assertThat(pool.invoke(FormTasks.COUNT)).isZero();
    }

    @Test
    void submitWhen_callCancelled_ignoresTheArgument() {
        pool.invoke(FormTasks.COUNT);
        CompletableFuture<Long> argument = new CompletableFuture<>();
        Call<Long> call = pool.submitWhen(FormTasks.COUNTED, argument);
        assertThat(call.cancel(true)).isTrue();
        argument.complete(1L);
        assertThat(call).isCancelled();
        assertThat(call.ended().join()).isEqualTo(Ended.NEVER_RAN);
        assertThat(argument).isCompletedWithValue(1L);
        assertThat(pool.invoke(FormTasks.COUNT)).isZero();
    }

    @Test
    void submitWhen_argumentCannotCross_failsTheCall() {
        Call<Object> call = pool.submitWhen(Tasks.ANYTHING, CompletableFuture.completedFuture(Thread.currentThread()));
        if (kind == Kind.THREADS) {
            assertThat(call.join()).isSameAs(Thread.currentThread());
        } else {
            assertThatThrownBy(call::join).hasMessageContaining("java.lang.Thread");
        }
        assertThatThrownBy(() -> pool.submitWhen(ContractTasks.INC, null)).isInstanceOf(NullPointerException.class);
    }

    /** One more task, whose argument may be anything. */
    static final class Tasks {
        static final dev.knitting.Task<Object, Object> ANYTHING = dev.knitting.Task.of(Tasks::same);

        private Tasks() {}

        private static Object same(Object value) {
            return value;
        }
    }

    @Test
    void submitWhen_poolClosesFirst_failsTheCallAndTheLateArgumentIsIgnored() {
        CompletableFuture<Long> argument = new CompletableFuture<>();
        Call<Long> call;
        try (Pool own = kind.open()) {
            call = own.submitWhen(ContractTasks.INC, argument);
        }
        assertThat(call.isDone()).as("close does not wait for it").isTrue();
        argument.complete(1L);
        assertThat(call.handle((value, failure) -> failure).join())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
    }

    // ---- many

    @Test
    void submitAll_collection_givesTheCallsInOrder() {
        List<Long> arguments = LongStream.range(0, 5_000).boxed().toList();
        List<Call<Long>> calls = pool.submitAll(ContractTasks.INC, arguments);
        assertThat(calls).hasSameSizeAs(arguments);
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i).join()).isEqualTo(i + 1);
        }
        assertThat(pool.submitAll(ContractTasks.INC, List.<Long>of())).isEmpty();
    }

    @Test
    void map_failuresAmongResults_comeInOrder() {
        List<String> seen;
        try (Stream<Outcome<Long, Long>> outcomes =
                pool.map(FormTasks.ODD_FAILS, LongStream.range(0, 500).boxed())) {
            seen = outcomes.map(outcome -> switch (outcome) {
                        case Outcome.Ok<Long, Long>(var in, var value) -> in + "/2=" + value;
                        case Outcome.Failed<Long, Long>(var in, var error) ->
                            in + ":" + ((TaskFailedException) error).remoteMessage();
                    })
                    .toList();
        }
        assertThat(seen).hasSize(500);
        for (int i = 0; i < 500; i++) {
            assertThat(seen.get(i)).isEqualTo(i % 2 == 0 ? i + "/2=" + i / 2 : i + ":odd: " + i);
        }
    }

    @Test
    void map_endlessSource_takesNoMoreThanTheWindow() {
        AtomicInteger taken = new AtomicInteger();
        Stream<Long> source = Stream.generate(() -> (long) taken.getAndIncrement());
        try (Stream<Outcome<Long, Long>> outcomes = pool.map(ContractTasks.INC, source)) {
            assertThat(taken).as("lazy").hasValue(0);
            Iterator<Outcome<Long, Long>> iterator = outcomes.iterator();
            for (long i = 0; i < 100; i++) {
                assertThat(iterator.next()).isEqualTo(new Outcome.Ok<>(i, i + 1));
            }
            assertThat(taken.get()).isBetween(100, 100 + 2 * 32);
        }
    }

    @Test
    void map_sourceThrows_givesWhatCameBefore() {
        Stream<Long> source = LongStream.range(0, 10).boxed().peek(value -> {
            if (value == 7) {
                throw new IllegalStateException("source");
            }
        });
        List<Object> seen = new ArrayList<>();
        assertThatThrownBy(() -> pool.map(ContractTasks.INC, source).forEach(seen::add))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("source");
        assertThat(seen).hasSize(7);
    }

    @Test
    void map_closed_closesTheSourceAndCancelsTheRest() {
        AtomicBoolean closed = new AtomicBoolean();
        pool.invoke(FormTasks.COUNT);
        Stream<Long> source = LongStream.range(0, 1_000).boxed().onClose(() -> closed.set(true));
        try (Stream<Outcome<Long, Long>> outcomes = pool.map(FormTasks.COUNTED, source)) {
            assertThat(outcomes.findFirst()).contains(new Outcome.Ok<>(0L, 0L));
        }
        assertThat(closed).isTrue();
        assertThat(pool.invoke(FormTasks.COUNT)).isLessThanOrEqualTo(32);
    }

    @Test
    void map_interrupted_endsAndKeepsTheFlag() {
        if (kind == Kind.DIRECT) {
            return; // never waits
        }
        Stream<Outcome<Long, Long>> outcomes = pool.map(ContractTasks.SPIN_MILLIS, Stream.of(300L, 300L));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(outcomes::toList)
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERRUPTED));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void map_null_throws() {
        assertThatThrownBy(() -> pool.map(ContractTasks.INC, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> pool.map(null, Stream.of())).isInstanceOf(NullPointerException.class);
    }
}

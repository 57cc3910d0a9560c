package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import dev.knitting.host.CallFormsTest.Kind;
import java.io.Serializable;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Lambdas as calls, function objects, and tasks that are announced at their first use. */
@ParameterizedClass(name = "{0}")
@EnumSource
class LambdaCallTest {
    private static Pool pool;

    @Parameter
    Kind kind;

    private final String field = "field";

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.open();
    }

    @AfterParameterizedClassInvocation
    static void close() {
        pool.close();
    }

    private static void assertBadLambda(Runnable attempt, String... parts) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_TASK))
                .hasMessageContainingAll(parts);
    }

    /** Line of the caller, plus so many. */
    private static String line(int plus) {
        return "line=LambdaCallTest.java:"
                + (StackWalker.getInstance()
                                .walk(frames -> frames.skip(1).findFirst().orElseThrow())
                                .getLineNumber()
                        + plus);
    }

    @Test
    void submit_capturesOfManyTypes_areTheArguments() {
        int number = 7;
        String text = "x";
        List<String> list = List.of("a", "b");
        FormTasks.Price price = new FormTasks.Price("9");
        double[] values = {1, 2};
        assertThat(pool.invoke(() -> number + text + list + price.text() + values[1]))
                .isEqualTo("7x[a, b]92.0");
        assertThat(pool.submit(text::toUpperCase).join()).as("a bound method").isEqualTo("X");
        assertThat(pool.invoke(() -> 5)).isEqualTo(5);
        String none = number == 8 ? "" : null;
        assertThat(pool.invoke(() -> none == null)).isTrue();
    }

    @Test
    void submit_capturesThis_isRefusedWithTypeAndLine() {
        if (kind == Kind.THREADS) {
            assertThat(pool.invoke(() -> field)).isEqualTo("field");
            return;
        }
        String self = getClass().getName();
        String line = line(1);
        assertBadLambda(() -> pool.submit(() -> field), "captured=this: " + self, line, "remedy=");
        String second = line(1);
        assertBadLambda(() -> pool.invoke(() -> field), "captured=this: ", second);
    }

    @Test
    void submit_capturesWhatCannotCross_isRefusedWithTypeAndLine() {
        Thread thread = Thread.currentThread();
        int number = 1;
        if (kind == Kind.THREADS) {
            assertThat(pool.invoke(() -> thread == Thread.currentThread() ? number : 2))
                    .isEqualTo(2);
            return;
        }
        String line = line(1);
        assertBadLambda(() -> pool.submit(() -> number + thread.getName()), "captured=java.lang.Thread", line);
        Object undeclared = thread;
        Call<String> call = pool.submit(() -> undeclared.toString());
        assertThatThrownBy(call::join)
                .as("a value whose declared type may cross fails its call")
                .isInstanceOf(CompletionException.class)
                .hasMessageContainingAll("argument[0]", "java.lang.Thread");
        assertThatThrownBy(() -> pool.submit((Task.Source<String>) null)).isInstanceOf(NullPointerException.class);
    }

    // ---- function objects, as other compilers make them

    /** As Kotlin compiles a serializable SAM conversion: a class with a bridge, and its only object. */
    static final class KotlinLambda implements Task.Function<Long, FormTasks.Price> {
        private static final long serialVersionUID = 1L;
        public static final KotlinLambda INSTANCE = new KotlinLambda();

        KotlinLambda() {}

        @Override
        public FormTasks.Price apply(Long value) {
            return new FormTasks.Price("k" + value);
        }
    }

    /** As Scala compiles an object. */
    static final class ScalaObject implements Task.AsyncFunction<String, String> {
        private static final long serialVersionUID = 1L;
        public static final ScalaObject MODULE$ = new ScalaObject();

        private ScalaObject() {}

        @Override
        public java.util.concurrent.CompletionStage<String> apply(String text) {
            return java.util.concurrent.CompletableFuture.supplyAsync(() -> text + "!");
        }
    }

    static final class Greeting implements Task.Source<String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String get() {
            return "hello";
        }
    }

    static final class WithState implements Task.Source<String>, Serializable {
        private static final long serialVersionUID = 1L;
        private final String state = "x";

        @Override
        public String get() {
            return state;
        }
    }

    @Test
    void of_functionObjects_run() {
        assertThat(pool.invoke(Task.of(KotlinLambda.INSTANCE), 3L)).isEqualTo(new FormTasks.Price("k3"));
        assertThat(pool.invoke(Task.async(ScalaObject.MODULE$), "s")).isEqualTo("s!");
        assertThat(pool.invoke(Task.of(new Greeting()))).isEqualTo("hello");
        assertThat(pool.invoke(new Greeting())).as("as a call").isEqualTo("hello");
        assertBadLambda(() -> Task.of(new WithState()), WithState.class.getName(), "state");
        assertBadLambda(() -> pool.submit(new WithState()), WithState.class.getName());
    }

    // ---- announced at their first use

    @Test
    void submit_unknownTask_failsThatCallOnly() {
        Task<Long, Long> unknown = Task.named(ContractTasks.class.getName(), "noSuchMethod", long.class, long.class);
        Task<Long, Long> known = Task.named(ContractTasks.class.getName(), "inc", long.class, long.class);
        for (long i = 0; i < 3; i++) {
            Call<Long> bad = pool.submit(unknown, i);
            Call<Long> good = pool.submit(known, i);
            assertThat(good.join()).isEqualTo(i + 1);
            assertThatThrownBy(bad::join)
                    .cause()
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND));
        }
    }

    @Test
    void submit_moreTasksThanAPoolCanNumber_failsThatCallOnly() {
        try (Pool own = kind == Kind.DIRECT
                ? Pool.direct()
                : kind == Kind.PROCESSES
                        ? Pool.processes(1).open()
                        : Pool.threads(1).copyArguments(true).open()) {
            String name = ContractTasks.class.getName();
            for (int i = 0; i < PoolOptions.MAX_TASKS; i++) {
                Task<Long, Long> task = Task.named(name, "inc", long.class, long.class);
                if (i % 8_192 == 0) {
                    assertThat(own.invoke(task, (long) i)).isEqualTo(i + 1L);
                } else {
                    own.submit(task, 1L).cancel(false);
                }
            }
            Call<Long> beyond = own.submit(Task.named(name, "inc", long.class, long.class), 1L);
            assertThatThrownBy(beyond::join)
                    .cause()
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_TASKS));
        }
    }
}

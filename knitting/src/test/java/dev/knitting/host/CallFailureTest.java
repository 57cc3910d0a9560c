package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import dev.knitting.Task;
import dev.knitting.TaskFailedException;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** In which form a failure reaches whoever asks for the result, and what it tells. */
@ParameterizedClass(name = "{0}")
@EnumSource
class CallFailureTest {
    enum Kind {
        THREADS,
        COPYING,
        PROCESSES,
        DIRECT;

        PoolBuilder builder() {
            return this == PROCESSES
                    ? Pool.processes(1).jvm(jvm -> jvm.maxHeap("64m"))
                    : Pool.threads(1).copyArguments(this == COPYING);
        }

        Pool open(PoolBuilder builder) {
            return this == DIRECT ? builder.direct() : builder.open();
        }
    }

    /** Named by no signature. */
    static class Unknown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unknown(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Named by no signature; registered with the pool. */
    static final class Registered extends Unknown {
        private static final long serialVersionUID = 1L;

        Registered(String message) {
            super(message, null);
        }
    }

    /** Named by the signature of the task. */
    static final class Declared extends Exception {
        private static final long serialVersionUID = 1L;

        Declared(String message) {
            super(message);
        }
    }

    private static final Task<String, String> THROW = Task.of(CallFailureTest::doThrow);
    private static final Pattern FORM = Pattern.compile("(?s)[^:=]+(: [A-Za-z.]+(\\[\\d+])?=.*(, [A-Za-z.]+=.*)*)?");

    private static String doThrow(String what) throws Declared, FileNotFoundException {
        switch (what) {
            case "jdk" -> throw new IllegalStateException("of the JDK");
            case "declared" -> throw new Declared("of the signature");
            case "registered" -> throw new Registered("of the pool");
            case "error" -> throw new LinkageError("an error");
            default -> throw new Unknown("unknown", new FileNotFoundException("inner"));
        }
    }

    private static Pool pool;

    @Parameter
    Kind kind;

    @TempDir
    Path directory;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.open(kind.builder().register(Registered.class));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        pool.close();
    }

    // ---- a task's own exception

    private static TaskFailedException thrown(String what) {
        Throwable invoked = catchThrowable(() -> pool.invoke(THROW, what));
        assertThat(invoked).isExactlyInstanceOf(TaskFailedException.class);
        TaskFailedException failure = (TaskFailedException) invoked;
        assertThat(failure.code()).isEqualTo(ErrorCode.TASK_FAILED);
        assertThat(failure).hasMessage(failure.remoteType() + ": " + failure.remoteMessage());
        assertThat(failure.getStackTrace()[0])
                .as("the stack is that of the worker")
                .satisfies(frame -> assertThat(frame.getMethodName()).isEqualTo("doThrow"));
        return failure;
    }

    @Test
    void ownException_thatTheHostMayHave_isTheCause() {
        assertThat(thrown("jdk").getCause())
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("of the JDK");
        assertThat(thrown("declared").getCause())
                .isExactlyInstanceOf(Declared.class)
                .hasMessage("of the signature");
        assertThat(thrown("registered").getCause())
                .isExactlyInstanceOf(Registered.class)
                .hasMessage("of the pool");
        assertThat(thrown("error").getCause()).isExactlyInstanceOf(LinkageError.class);
    }

    @Test
    void ownException_thatTheHostMayNotHave_tellsTypeMessageStackAndCauses() {
        TaskFailedException failure = thrown("unknown");
        assertThat(failure.remoteType()).isEqualTo(Unknown.class.getName());
        assertThat(failure.remoteMessage()).isEqualTo("unknown");
        if (kind == Kind.THREADS) { // by reference: the host has it anyway
            assertThat(failure.getCause()).isExactlyInstanceOf(Unknown.class);
        } else {
            assertThat(failure.getCause())
                    .isExactlyInstanceOf(FileNotFoundException.class)
                    .hasMessage("inner");
        }
    }

    // ---- the three ways to ask

    /** Asks in every way, and checks that all tell of the same. */
    private static Throwable everyWay(Call<?> call) {
        Throwable joined = catchThrowable(call::join);
        Throwable got = catchThrowable(call::get);
        if (call.isCancelled()) {
            assertThat(joined).isInstanceOf(CancellationException.class);
            assertThat(got).isInstanceOf(CancellationException.class);
            return joined;
        }
        assertThat(joined).isExactlyInstanceOf(CompletionException.class);
        assertThat(got).isExactlyInstanceOf(ExecutionException.class);
        assertThat(joined.getCause()).isSameAs(got.getCause()).isSameAs(call.exceptionNow());
        CompletableFuture<Throwable> handled = call.handle((value, failure) -> failure);
        assertThat(handled.join()).isSameAs(joined.getCause());
        return joined.getCause();
    }

    @Test
    void failure_everyWayToAsk_hasItsForm() {
        assertThat(everyWay(pool.submit(THROW, "jdk")))
                .isExactlyInstanceOf(TaskFailedException.class)
                .hasCauseExactlyInstanceOf(IllegalStateException.class);
        Task<Long, Long> unknown = Task.named("no.such.Type", "method", long.class, long.class);
        assertThat(everyWay(pool.submit(unknown, 1L))).isExactlyInstanceOf(KnittingException.class);
        assertThat(catchThrowable(() -> pool.invoke(unknown, 1L))).isExactlyInstanceOf(KnittingException.class);
        CompletableFuture<String> never = new CompletableFuture<>();
        Call<String> cancelled = pool.submitWhen(THROW, never);
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(everyWay(cancelled)).isInstanceOf(CancellationException.class);
    }

    // ---- what submit does with what goes wrong

    @Test
    void submit_anyReasonAtRunTime_failsThroughTheCallOnly() {
        // Each of these lines would throw here if submit did.
        List<Call<?>> calls = new java.util.ArrayList<>();
        calls.add(pool.submit(Task.named("no.such.Type", "method", long.class, long.class), 1L));
        Pool closed = kind.open(kind.builder());
        closed.close();
        calls.add(closed.submit(THROW, "jdk"));
        calls.add(closed.submit(() -> "lambda"));
        calls.add(closed.submitWhen(THROW, CompletableFuture.completedFuture("jdk")));
        calls.addAll(closed.submitAll(THROW, List.of("a", "b")));
        if (kind != Kind.THREADS) { // by reference there is nothing that cannot cross
            calls.add(pool.submit(ContractTasks.MAKE_OPAQUE));
            Object opaque = new ContractTasks.Opaque();
            calls.add(pool.submit(() -> opaque.toString()));
        }
        for (Call<?> call : calls) {
            assertThat(everyWay(call)).isExactlyInstanceOf(KnittingException.class);
        }
    }

    @Test
    void submit_queueFull_failsThroughTheCallOnly() {
        if (kind == Kind.DIRECT) {
            return; // has no queue
        }
        try (Pool small = kind.builder().queue(1, QueuePolicy.REJECT).open(CancelTasks.UNTIL_CANCELLED)) {
            Call<String> busy = small.submit(CancelTasks.UNTIL_CANCELLED);
            Throwable refused = null;
            for (int i = 0; i < 10_000 && refused == null; i++) {
                Call<String> call = small.submit(CancelTasks.UNTIL_CANCELLED);
                refused = call.isDone() ? everyWay(call) : null;
            }
            assertThat(refused)
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL));
            small.shutdown(Duration.ZERO);
            assertThat(everyWay(busy))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
        }
    }

    @Test
    void submit_nullOrABadLambda_throwsHere() {
        Task<String, String> none = null;
        for (Throwable thrown : List.of(
                catchThrowable(() -> pool.submit(none, "")),
                catchThrowable(() -> pool.invoke(none, "")),
                catchThrowable(() -> pool.submit((Task.Source<String>) null)),
                catchThrowable(() -> pool.submitWhen(THROW, null)),
                catchThrowable(() -> pool.submitWhen(none, new CompletableFuture<String>())),
                catchThrowable(() -> pool.submitAll(THROW, null)),
                catchThrowable(() -> pool.submitAll(none, List.of())))) {
            assertThat(thrown).isInstanceOf(NullPointerException.class);
        }
        if (kind != Kind.THREADS) {
            assertThat(catchThrowable(() -> pool.submit(() -> directory.getClass() + toString())))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_TASK));
        }
    }

    // ---- what the pool's own failures say

    @Test
    void ownFailuresOfThePool_nameWhatFailedThenPairs() {
        List<Throwable> failures = new java.util.ArrayList<>();
        Pool closed = kind.open(kind.builder());
        closed.close();
        failures.add(everyWay(closed.submit(THROW, "")));
        failures.add(catchThrowable(() -> pool.invoke(Task.named("no.such.Type", "m", long.class, long.class), 1L)));
        failures.add(catchThrowable(() -> pool.invoke(Task.named("java.lang.Long", "m", long.class, long.class), 1L)));
        failures.add(catchThrowable(() -> kind.builder().workers(0)));
        failures.add(catchThrowable(() -> pool.service(Runnable.class)));
        failures.add(catchThrowable(() -> THROW.timeout(Duration.ofSeconds(-1))));
        if (kind != Kind.THREADS) {
            failures.add(catchThrowable(() -> pool.invoke(ContractTasks.MAKE_OPAQUE)));
            failures.add(catchThrowable(() -> pool.submit(() -> toString())));
            try (Pool small = kind.open(kind.builder().payload(p -> p.maxBytes(1_000)))) {
                failures.add(catchThrowable(() -> small.invoke(ContractTasks.ECHO_BYTES, new byte[2_000])));
                failures.add(catchThrowable(() -> small.invoke(ContractTasks.MAKE_BYTES, 2_000)));
            }
        }
        if (kind != Kind.DIRECT) {
            failures.add(
                    catchThrowable(() -> pool.invoke(CancelTasks.UNTIL_INTERRUPTED.timeout(Duration.ofMillis(20)))));
        }
        if (kind == Kind.PROCESSES) {
            failures.add(catchThrowable(() -> pool.invoke(DeathTasks.EXIT, 3)));
            failures.add(catchThrowable(() -> pool.invoke(DeathTasks.HALT, 137)));
        }
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure).isExactlyInstanceOf(KnittingException.class);
            assertThat(failure.getMessage()).matches(FORM).contains("=");
        });
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Discipline;
import dev.knitting.Doorbells;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Stealing;
import dev.knitting.TaskFailedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every pool does, whatever its workers, memory and doorbells are. One pool a combination, used by all tests, so that
 * a test that leaves it damaged fails its successors.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("combinations")
class PoolContractTest {
    record Combination(
            Isolation isolation,
            boolean copying,
            Memory memory,
            Doorbells bells,
            boolean separate,
            Stealing stealing,
            Discipline discipline) {
        Combination(Isolation isolation, boolean copying, Memory memory, Doorbells bells, boolean separate) {
            this(isolation, copying, memory, bells, separate, Stealing.AUTO, Discipline.TICKET);
        }

        PoolBuilder builder() {
            return Pool.of(isolation)
                    .workers(2)
                    .copyArguments(copying)
                    .memory(memory)
                    .doorbells(bells)
                    .segmentPerWorker(separate)
                    .tuning(tuning -> tuning.stealing(stealing).discipline(discipline))
                    .payload(payload -> payload.ceilingBytes(16 << 20).maxBytes(2 << 20))
                    .jvm(jvm -> jvm.maxHeap("256m"));
        }

        boolean copies() {
            return copying || isolation == Isolation.PROCESSES;
        }
    }

    static Stream<Combination> combinations() {
        List<Combination> all = new ArrayList<>();
        record Way(Memory memory, Doorbells bells) {}
        List<Way> ways = List.of(
                new Way(Memory.INHERITED, Doorbells.FUTEX),
                new Way(Memory.INHERITED, Doorbells.SOCKET),
                new Way(Memory.NAMED, Doorbells.FUTEX),
                new Way(Memory.NAMED, Doorbells.SOCKET),
                new Way(Memory.PORTABLE, Doorbells.SOCKET));
        for (Way way : ways) {
            all.add(new Combination(Isolation.THREADS, false, way.memory, way.bells, false));
            all.add(new Combination(Isolation.THREADS, true, way.memory, way.bells, false));
            all.add(new Combination(Isolation.PROCESSES, false, way.memory, way.bells, false));
        }
        all.add(new Combination(Isolation.PROCESSES, false, Memory.INHERITED, Doorbells.FUTEX, true));
        all.add(new Combination(Isolation.PROCESSES, false, Memory.NAMED, Doorbells.SOCKET, true));
        for (Isolation isolation : Isolation.values()) {
            all.add(of(isolation, Stealing.ON, Discipline.TICKET));
            all.add(of(isolation, Stealing.ON, Discipline.DEKKER));
        }
        return all.stream();
    }

    private static Combination of(Isolation isolation, Stealing stealing, Discipline discipline) {
        return new Combination(isolation, true, Memory.INHERITED, Doorbells.FUTEX, false, stealing, discipline);
    }

    private static Pool shared;

    @Parameter
    Combination combination;

    Pool pool;

    @BeforeParameterizedClassInvocation
    static void open(Combination combination) {
        shared = combination.builder().open(ContractTasks.INC, ContractTasks.ECHO_BYTES);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        shared.close();
    }

    @BeforeEach
    void use() {
        pool = shared;
    }

    @AfterEach
    void poolStillAnswers() {
        assertThat(pool.invoke(ContractTasks.INC, 41L)).isEqualTo(42L);
    }

    // ---- results

    @Test
    void invoke_scalar_returnsResult() {
        for (long value = 0; value < 500; value++) {
            assertThat(pool.invoke(ContractTasks.INC, value)).isEqualTo(value + 1);
        }
    }

    @Test
    void submit_manyAtOnce_eachGetsItsOwnResult() {
        List<Call<Long>> calls = new ArrayList<>();
        for (long value = 0; value < 5_000; value++) {
            calls.add(pool.submit(ContractTasks.INC, value));
        }
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i).join()).isEqualTo(i + 1L);
        }
    }

    @Test
    void invoke_textOfEveryTier_roundTrips() {
        for (int length : new int[] {0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 512, 513, 65_536, 1 << 20}) {
            String latin = "é".repeat(length);
            assertThat(pool.invoke(ContractTasks.ECHO_TEXT, latin)).isEqualTo(latin);
            String wide = "\uD800\u0000€".repeat(length / 3);
            assertThat(pool.invoke(ContractTasks.ECHO_TEXT, wide)).isEqualTo(wide);
        }
    }

    @Test
    void invoke_bytesOfEveryTier_roundTrip() {
        for (int length : new int[] {0, 1, 32, 33, 511, 512, 513, 4096, 65_536, 1 << 20, 2 << 20}) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) length);
            if (length > 1) {
                bytes[length - 1] = 7;
            }
            assertThat(pool.invoke(ContractTasks.ECHO_BYTES, bytes)).isEqualTo(bytes);
        }
    }

    @Test
    void submit_manyLargeArguments_noneIsMixedUp() {
        List<Call<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            byte[] bytes = new byte[2048 + 64 * (i % 7)];
            Arrays.fill(bytes, (byte) i);
            calls.add(pool.submit(ContractTasks.ECHO_BYTES, bytes));
        }
        for (int i = 0; i < calls.size(); i++) {
            byte[] bytes = calls.get(i).join();
            assertThat(bytes).hasSize(2048 + 64 * (i % 7)).containsOnly((byte) i);
        }
    }

    @Test
    void submit_moreLargeArgumentsThanTheArenaHolds_allSettle() {
        List<Call<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            byte[] bytes = new byte[1 << 20];
            bytes[i] = (byte) (i + 1);
            calls.add(pool.submit(ContractTasks.ECHO_BYTES, bytes));
        }
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i).join()[i]).isEqualTo((byte) (i + 1));
        }
    }

    @Test
    void invoke_record_roundTrips() {
        ContractTasks.Order order = new ContractTasks.Order(
                1,
                "Ünal",
                2.5,
                List.of(new ContractTasks.Line("nut", 3), new ContractTasks.Line("bolt", 4)),
                Map.of("vat", 0.19));
        ContractTasks.Order raised = pool.invoke(ContractTasks.RAISE, order);
        assertThat(raised).isEqualTo(new ContractTasks.Order(2, "Ünal", 5.0, order.lines(), order.taxes()));
    }

    @Test
    void invoke_unboundMethodAndNoArgument_work() {
        assertThat(pool.invoke(ContractTasks.TRIM, "  x ")).isEqualTo("x");
        assertThat(pool.invoke(ContractTasks.WORKER_ID)).isBetween(0, 1);
    }

    @Test
    void invoke_lambdaWithCaptures_runsInTheWorker() {
        int factor = 7;
        String prefix = "n=";
        long[] numbers = {1, 2, 3};
        String text = pool.invoke(() -> prefix + factor * Arrays.stream(numbers).sum() + ContractTasks.workerId());
        assertThat(text).matches("n=42[01]");
    }

    @Test
    void submit_lambdaThatCapturesThis_isRefusedOrByReference() {
        if (!combination.copies()) {
            return; // by reference anything may be captured
        }
        assertThatThrownBy(() -> pool.submit(() -> this.toString()))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_TASK))
                .hasMessageContaining("PoolContractTest");
    }

    // ---- failures

    @Test
    void invoke_taskThrows_tellsTypeMessageAndStack() {
        assertThatThrownBy(() -> pool.invoke(ContractTasks.FAIL, "why"))
                .isInstanceOfSatisfying(TaskFailedException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.TASK_FAILED);
                    assertThat(e.remoteType()).isEqualTo(ContractTasks.Undeclared.class.getName());
                    assertThat(e.remoteMessage()).isEqualTo("why");
                    assertThat(e.getStackTrace()[0].getMethodName()).isEqualTo("fail");
                });
    }

    @Test
    void join_taskThrowsDeclaredException_hasItAsCause() {
        Call<String> call = pool.submit(ContractTasks.FAIL_CHECKED, "io");
        assertThatThrownBy(call::join).isInstanceOf(CompletionException.class).satisfies(e -> {
            TaskFailedException failure = (TaskFailedException) e.getCause();
            assertThat(failure.getCause())
                    .isExactlyInstanceOf(java.io.IOException.class)
                    .hasMessage("io");
            assertThat(failure.getCause().getCause()).hasMessage("inner");
        });
        assertThatThrownBy(call::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(TaskFailedException.class);
    }

    @Test
    void invoke_errorInTask_failsTheCallOnly() {
        for (String kind : List.of("memory", "stack", "linkage", "assertion")) {
            assertThatThrownBy(() -> pool.invoke(ContractTasks.FAIL_ERROR, kind))
                    .as(kind)
                    .isInstanceOf(TaskFailedException.class);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2L);
        }
    }

    @Test
    void invoke_unencodableResult_failsTheCallByName() {
        if (!combination.copies()) {
            assertThat(pool.invoke(ContractTasks.MAKE_OPAQUE)).isInstanceOf(ContractTasks.Opaque.class);
            return;
        }
        assertThatThrownBy(() -> pool.invoke(ContractTasks.MAKE_OPAQUE))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD))
                .hasMessageContaining("Opaque");
    }

    @Test
    void invoke_overTheCap_failsAndNamesTheOption() {
        if (!combination.copies()) {
            return; // nothing is copied, nothing is capped
        }
        for (Runnable attempt : List.<Runnable>of(
                () -> pool.invoke(ContractTasks.ECHO_BYTES, new byte[(2 << 20) + 1]),
                () -> pool.invoke(ContractTasks.MAKE_BYTES, (2 << 20) + 1))) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE))
                    .hasMessageContaining("payload.maxBytes")
                    .hasMessageContaining("2097153");
        }
        assertThat(pool.invoke(ContractTasks.MAKE_BYTES, 2 << 20)).hasSize(2 << 20);
    }

    @Test
    void submit_null_throwsAtOnce() {
        assertThatThrownBy(() -> pool.submit((dev.knitting.Task<Void, Long>) null))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void submit_unknownClass_failsTheCall() {
        dev.knitting.Task<Long, Long> task = dev.knitting.Task.named("no.such.Thing", "method", long.class, long.class);
        assertThatThrownBy(() -> pool.invoke(task, 1L))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND))
                .hasMessageContaining("no.such.Thing");
    }

    @Test
    void submit_instanceMethodByName_failsTheCall() {
        dev.knitting.Task<Void, String> task =
                dev.knitting.Task.named("java.lang.Object", "toString", void.class, String.class);
        assertThatThrownBy(() -> pool.invoke(task))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND))
                .hasMessageContaining("not static");
    }

    // ---- waiting, callbacks, cancelling

    @Test
    void thenApply_onOpenCall_runsOnACallbackThread() {
        Call<Long> call = pool.submit(ContractTasks.SPIN_MILLIS, 20L);
        CompletableFuture<String> name =
                call.thenApply(x -> Thread.currentThread().getName());
        assertThat(name.join()).startsWith("knitting-callback-");
    }

    @Test
    void thenApply_thatInvokesAgain_64TimesOnFewWorkers_ends() {
        List<CompletableFuture<Long>> chained = new ArrayList<>();
        for (long i = 0; i < 64; i++) {
            chained.add(pool.submit(ContractTasks.INC, i).thenApply(x -> pool.invoke(ContractTasks.INC, x)));
        }
        for (int i = 0; i < chained.size(); i++) {
            assertThat(chained.get(i).join()).isEqualTo(i + 2L);
        }
    }

    @Test
    void allOf_nobodyJoinsTheCalls_completes() throws Exception {
        CompletableFuture<?>[] calls = new CompletableFuture<?>[100];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = pool.submit(ContractTasks.INC, (long) i);
        }
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture.allOf(calls).thenRun(done::countDown);
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void cancel_openCall_settlesAtOnceAndItsLateResultSettlesNothing() {
        List<Call<Long>> cancelled = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            cancelled.add(pool.submit(ContractTasks.SPIN_MILLIS, 5L));
        }
        for (Call<Long> call : cancelled) {
            if (call.cancel(true)) {
                assertThat(call.isCancelled()).isTrue();
                assertThatThrownBy(call::join).isInstanceOf(CancellationException.class);
            }
        }
        for (long i = 0; i < 300; i++) {
            assertThat(pool.invoke(ContractTasks.INC, i)).isEqualTo(i + 1);
        }
    }

    @Test
    void get_interrupted_answersSoon() throws Exception {
        Call<Long> call = pool.submit(ContractTasks.SPIN_MILLIS, 2_000L);
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<Long> answeredAfter = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            waiting.countDown();
            try {
                call.get();
                answeredAfter.completeExceptionally(new AssertionError("not interrupted"));
            } catch (InterruptedException e) {
                answeredAfter.complete(System.nanoTime());
            } catch (ExecutionException e) {
                answeredAfter.completeExceptionally(e);
            }
        });
        waiter.start();
        waiting.await();
        long interrupted = System.nanoTime();
        waiter.interrupt();
        long answered = answeredAfter.get(10, TimeUnit.SECONDS);
        assertThat(TimeUnit.NANOSECONDS.toMillis(answered - interrupted)).isLessThan(1_500);
        call.cancel(true);
    }

    @Test
    void invoke_interrupted_keepsTheFlagAndSaysSo() throws Exception {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            Thread.currentThread().interrupt();
            try {
                pool.invoke(ContractTasks.SPIN_MILLIS, 100L);
                flag.completeExceptionally(new AssertionError("not interrupted"));
            } catch (KnittingException e) {
                if (e.code() == ErrorCode.INTERRUPTED) {
                    flag.complete(Thread.currentThread().isInterrupted());
                } else {
                    flag.completeExceptionally(e);
                }
            }
        });
        waiter.start();
        assertThat(flag.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void interruptLeftByOneCall_isGoneInTheNext() {
        for (int i = 0; i < 4; i++) {
            assertThat(pool.invoke(ContractTasks.SET_INTERRUPTED)).isTrue();
        }
        for (int i = 0; i < 8; i++) {
            assertThat(pool.invoke(ContractTasks.INTERRUPTED_FLAG)).isFalse();
        }
    }

    @Test
    void manyCallers_platformAndVirtual_loseNothing() throws Exception {
        Map<Thread, Throwable> failures = new ConcurrentHashMap<>();
        try (ExecutorService platform = Executors.newFixedThreadPool(8);
                ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 40; thread++) {
                long base = thread * 1_000L;
                all.add((thread < 8 ? platform : virtual).submit(() -> {
                    try {
                        for (long i = 0; i < 100; i++) {
                            long value = base + i;
                            long result = i % 2 == 0
                                    ? pool.invoke(ContractTasks.INC, value)
                                    : pool.submit(ContractTasks.INC, value).join();
                            if (result != value + 1) {
                                throw new AssertionError(value + " -> " + result);
                            }
                        }
                    } catch (Throwable e) {
                        failures.put(Thread.currentThread(), e);
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(failures).isEmpty();
    }
}

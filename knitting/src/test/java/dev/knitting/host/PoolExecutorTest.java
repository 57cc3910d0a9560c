package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Pool;
import dev.knitting.QueuePolicy;
import dev.knitting.Task;
import dev.knitting.host.CallFormsTest.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code java.util.concurrent} says of executors, by tasks that every pool takes. */
@ParameterizedClass(name = "{0}")
@EnumSource
class PoolExecutorTest {
    private static Pool pool;

    @Parameter
    Kind kind;

    private ExecutorService executor;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.open();
    }

    @AfterParameterizedClassInvocation
    static void close() {
        pool.close();
    }

    @BeforeEach
    void view() {
        executor = pool.asExecutor();
    }

    @AfterEach
    void shutDownTheView() throws InterruptedException {
        executor.shutdownNow();
        assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(pool.invoke(ContractTasks.INC, 1L)).as("the pool stays open").isEqualTo(2);
    }

    private static Callable<Long> inc(long value) {
        return ContractTasks.INC.bind(value);
    }

    private static Callable<Long> slow(long millis) {
        return ContractTasks.SPIN_MILLIS.bind(millis);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void submit_boundTaskOrSource_givesTheResult() throws Exception {
        assertThat(get(executor.submit(inc(41)))).isEqualTo(42);
        int captured = 5;
        Task.Source<Integer> source = () -> captured * 2;
        assertThat(get(executor.submit(source))).isEqualTo(10);
        assertThat(get(executor.submit(FormTasks.NOTE.bind("x").toRunnable()))).isNull();
        assertThat(get(executor.submit(FormTasks.NOTE.bind("x").toRunnable(), "result")))
                .isEqualTo("result");
        Future<Long> future = executor.submit(inc(1));
        assertThat(get(future)).isEqualTo(2);
        assertThat(future.isDone()).isTrue();
        assertThat(future.resultNow()).isEqualTo(2);
        assertThat(future.cancel(true)).isFalse();
    }

    @Test
    void submit_anythingElse_isTakenByThreadsAndRejectedByNameElsewhere() throws Exception {
        Runnable runnable = () -> {};
        Callable<Thread> callable = Thread::currentThread;
        if (kind == Kind.THREADS) {
            assertThat(get(executor.submit(callable))).isNotSameAs(Thread.currentThread());
            assertThat(get(executor.submit(runnable, 3))).isEqualTo(3);
            CountDownLatch ran = new CountDownLatch(1);
            executor.execute(ran::countDown);
            assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(CompletableFuture.supplyAsync(() -> 6, executor).get(60, TimeUnit.SECONDS))
                    .isEqualTo(6);
            return;
        }
        for (Runnable attempt : List.<Runnable>of(
                () -> executor.execute(runnable),
                () -> executor.submit(runnable),
                () -> executor.submit(runnable, 1),
                () -> executor.submit(callable))) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContainingAll(PoolExecutorTest.class.getName(), "task.bind");
        }
    }

    @Test
    void get_taskThrows_hasTheTasksOwnException() {
        Future<String> future = executor.submit(ContractTasks.FAIL_CHECKED.bind("io"));
        assertThatThrownBy(() -> get(future))
                .isInstanceOf(ExecutionException.class)
                .hasCauseExactlyInstanceOf(java.io.IOException.class);
        assertThat(future.state()).isEqualTo(Future.State.FAILED);
    }

    @Test
    void cancel_queuedTask_isCancelled() throws Exception {
        if (kind == Kind.DIRECT) {
            return; // nothing waits there
        }
        Future<Long> running = executor.submit(slow(500));
        List<Future<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(executor.submit(inc(i)));
        }
        assertThat(waiting.get(9).cancel(true)).isTrue();
        assertThat(waiting.get(9).isCancelled()).isTrue();
        assertThatThrownBy(() -> get(waiting.get(9))).isInstanceOf(CancellationException.class);
        running.cancel(true);
        assertThat(get(waiting.get(8))).isEqualTo(9);
    }

    @Test
    void invokeAll_someFail_allAreDoneInOrder() throws Exception {
        List<Callable<Object>> tasks = new ArrayList<>();
        for (long i = 0; i < 50; i++) {
            Task<Long, Object> widened = WIDENED;
            tasks.add(widened.bind(i));
        }
        List<Future<Object>> futures = executor.invokeAll(tasks);
        assertThat(futures).hasSize(50).allMatch(Future::isDone);
        for (int i = 0; i < 50; i++) {
            Future<Object> future = futures.get(i);
            if (i % 2 == 0) {
                assertThat(future.resultNow()).isEqualTo((long) i / 2);
            } else {
                assertThat(future.exceptionNow()).isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat(executor.invokeAll(List.<Callable<Long>>of())).isEmpty();
    }

    private static final Task<Long, Object> WIDENED = Task.of(PoolExecutorTest::oddFails);

    private static Object oddFails(long value) {
        if (value % 2 != 0) {
            throw new IllegalArgumentException("odd");
        }
        return value / 2;
    }

    @Test
    void invokeAll_timeOver_cancelsTheRest() throws Exception {
        if (kind == Kind.DIRECT) {
            return; // no timers there
        }
        List<Future<Long>> futures =
                executor.invokeAll(List.of(inc(1), slow(60_000), slow(60_000)), 300, TimeUnit.MILLISECONDS);
        assertThat(futures).allMatch(Future::isDone);
        assertThat(futures.get(1).isCancelled()).isTrue();
        assertThat(futures.get(2).isCancelled()).isTrue();
    }

    @Test
    void invokeAny_oneSucceeds_givesItsResult() throws Exception {
        assertThat(executor.invokeAny(List.<Callable<Object>>of(WIDENED.bind(1L), WIDENED.bind(8L))))
                .isEqualTo(4L);
        assertThatThrownBy(() -> executor.invokeAny(List.of(WIDENED.bind(1L), WIDENED.bind(3L))))
                .isInstanceOf(ExecutionException.class)
                .hasCauseExactlyInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> executor.invokeAny(List.<Callable<Long>>of()))
                .isInstanceOf(IllegalArgumentException.class);
        if (kind != Kind.DIRECT) {
            assertThatThrownBy(() -> executor.invokeAny(List.of(slow(60_000)), 50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void shutdown_openTasks_endAndNewOnesAreRejected() throws Exception {
        Future<Long> open = executor.submit(slow(50));
        executor.shutdown();
        assertThat(executor.isShutdown()).isTrue();
        assertThatThrownBy(() -> executor.submit(inc(1))).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(open.resultNow()).isEqualTo(50);
        assertThat(get(pool.asExecutor().submit(inc(1)))).as("another view").isEqualTo(2);
    }

    @Test
    void shutdownNow_openTasks_cancelsThemAndGivesBackWhatNeverRan() throws Exception {
        if (kind == Kind.DIRECT) {
            return; // nothing waits there
        }
        try (Pool own = kind.open()) { // a worker that has run nothing is fed two calls
            ExecutorService view = own.asExecutor();
            List<Future<Long>> futures = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                futures.add(view.submit(slow(60_000)));
            }
            List<Runnable> unrun = view.shutdownNow();
            assertThat(unrun).hasSizeBetween(8, 10);
            assertThat(futures).allMatch(Future::isCancelled);
            assertThat(view.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void close_openTasks_waitsForThem() {
        Future<Long> open;
        try (ExecutorService own = pool.asExecutor()) {
            open = own.submit(slow(50));
        }
        assertThat(open.isDone()).isTrue();
        assertThat(open.resultNow()).isEqualTo(50);
    }

    @Test
    void poolClosed_executorIsShutDown() {
        Pool own = kind.open();
        ExecutorService view = own.asExecutor();
        own.close();
        assertThat(view.isShutdown()).isTrue();
        assertThat(view.isTerminated()).isTrue();
        assertThatThrownBy(() -> view.submit(inc(1))).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void execute_taskThrows_goesToTheUncaughtHandler() throws Exception {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> seen.complete(failure));
        try {
            executor.execute(FormTasks.BAD_ACTION.bind("loud").toRunnable());
            assertThat(seen.get(60, TimeUnit.SECONDS))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("loud");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void submit_queueFull_isRejected() {
        if (kind == Kind.DIRECT) {
            return; // there is no queue
        }
        try (Pool own = (kind == Kind.PROCESSES
                        ? Pool.processes(1)
                        : Pool.threads(1).copyArguments(kind == Kind.COPYING))
                .queue(2, QueuePolicy.REJECT)
                .open()) {
            ExecutorService view = own.asExecutor();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 20; i++) {
                            view.submit(slow(60_000));
                        }
                    })
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContaining("queue is full");
            view.shutdownNow();
        }
    }
}

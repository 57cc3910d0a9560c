package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On which threads the callbacks of a call run. */
class CallbackTest {
    private static final String CALLBACK_THREAD = "knitting-callback-";

    @TempDir
    Path directory;

    private static String here() {
        return Thread.currentThread().getName();
    }

    /** A call that is open until {@link #letGo}. */
    private Call<String> openCall(Pool pool) {
        return pool.submit(
                CancelTasks.DEAF_UNTIL_FILE, directory.resolve("gate").toString());
    }

    private void letGo() throws Exception {
        Files.createFile(directory.resolve("gate"));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void callback_addedBefore_runsOnACompletionThreadAlsoIfSomebodyWaits(Isolation isolation) throws Exception {
        try (Pool pool = Pool.of(isolation).open(CancelTasks.DEAF_UNTIL_FILE)) {
            Call<String> call = openCall(pool);
            ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();
            CompletableFuture<Void> first = call.thenAccept(value -> threads.add(here()));
            CompletableFuture<Void> second = call.thenApply(String::length).thenAccept(value -> threads.add(here()));
            letGo();
            call.join(); // this thread helps, and takes the result; the callbacks are none of its business
            CompletableFuture.allOf(first, second).join();
            assertThat(threads).hasSize(2).allMatch(name -> name.startsWith(CALLBACK_THREAD));
        }
    }

    @Test
    void callback_addedAfterwards_runsOnTheAddingThread() {
        try (Pool pool = Pool.threads(1).open()) {
            Call<Long> call = pool.submit(CancelTasks.SPIN_MICROS, 1L);
            call.join();
            assertThat(call.thenApply(value -> here()).join()).isEqualTo(here());
            assertThat(call.ended().thenApply(value -> here()).join()).isEqualTo(here());
        }
    }

    /** Strangers take each other's results out of the mailboxes all the time. */
    @ParameterizedTest
    @EnumSource(Isolation.class)
    void callback_strangersHelp_neverRunsOnThem(Isolation isolation) throws Exception {
        try (Pool pool = Pool.of(isolation).workers(2).open(CancelTasks.SPIN_MICROS)) {
            CountDownLatch stop = new CountDownLatch(1);
            List<Thread> strangers =
                    List.of(new Thread(() -> invokeUntil(stop, pool)), new Thread(() -> invokeUntil(stop, pool)));
            strangers.forEach(Thread::start);
            ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();
            try {
                for (int i = 0; i < 500; i++) {
                    Call<Long> call = pool.submit(CancelTasks.SPIN_MICROS, 100L);
                    call.thenAccept(value -> threads.add(here())).get(30, TimeUnit.SECONDS);
                }
            } finally {
                stop.countDown();
                for (Thread stranger : strangers) {
                    stranger.join();
                }
            }
            String adder = here();
            assertThat(threads).hasSize(500).allMatch(name -> name.startsWith(CALLBACK_THREAD) || name.equals(adder));
        }
    }

    private static void invokeUntil(CountDownLatch stop, Pool pool) {
        while (stop.getCount() > 0) {
            pool.invoke(CancelTasks.SPIN_MICROS, 1L);
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void callback_blocks_delaysNoOtherCall(Isolation isolation) throws Exception {
        try (Pool pool = Pool.of(isolation).workers(1).open(CancelTasks.SPIN_MICROS)) {
            CountDownLatch block = new CountDownLatch(1);
            CountDownLatch blocked = new CountDownLatch(20);
            for (int i = 0; i < 20; i++) {
                pool.submit(CancelTasks.SPIN_MICROS, 5_000L).thenAccept(value -> {
                    blocked.countDown();
                    try {
                        block.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
            }
            assertThat(blocked.await(30, TimeUnit.SECONDS))
                    .as("all of them run at once")
                    .isTrue();
            Call<Long> other = pool.submit(CancelTasks.SPIN_MICROS, 1L);
            assertThat(other.thenApply(value -> value + 1).get(30, TimeUnit.SECONDS))
                    .isEqualTo(2);
            assertThat(pool.invoke(CancelTasks.SPIN_MICROS, 3L)).isEqualTo(3);
            block.countDown();
        }
    }

    @Test
    void asyncCallback_callbackExecutorSet_runsThere() throws Exception {
        Executor own = task -> new Thread(task, "my-callbacks").start();
        try (Pool pool = Pool.threads(1).callbackExecutor(own).open()) {
            Call<String> call = openCall(pool);
            CompletableFuture<String> direct = call.thenApplyAsync(value -> here());
            CompletableFuture<String> chained = call.thenApply(value -> value).thenApplyAsync(value -> here());
            CompletableFuture<String> chosen =
                    call.thenApplyAsync(value -> here(), task -> new Thread(task, "chosen").start());
            assertThat(call.defaultExecutor()).isSameAs(own);
            letGo();
            assertThat(direct.join()).isEqualTo("my-callbacks");
            assertThat(chained.join()).isEqualTo("my-callbacks");
            assertThat(chosen.join()).isEqualTo("chosen");
        }
    }

    @Test
    void asyncCallback_noExecutorSet_runsWhereTheJdkWould() {
        try (Pool pool = Pool.threads(1).open()) {
            Call<Long> call = pool.submit(CancelTasks.SPIN_MICROS, 1L);
            assertThat(call.defaultExecutor()).isSameAs(new CompletableFuture<>().defaultExecutor());
        }
    }
}

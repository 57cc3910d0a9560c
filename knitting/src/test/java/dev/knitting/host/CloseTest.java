package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Doorbells;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a pool, and its full queue. */
class CloseTest {
    private final Watch watch = Watch.start();

    @TempDir
    Path directory;

    @AfterEach
    void nothingIsLeft() {
        GateTasks.open();
        watch.assertNothingLeft();
    }

    private static PoolBuilder threads(int workers) {
        return Pool.threads(workers).name("close");
    }

    private static PoolBuilder processes(int workers) {
        return Pool.processes(workers).name("close").jvm(jvm -> jvm.maxHeap("64m"));
    }

    private static List<PoolBuilder> eachKind() {
        return List.of(
                threads(2),
                threads(2).copyArguments(true).doorbells(Doorbells.SOCKET),
                processes(2),
                processes(2).memory(Memory.PORTABLE),
                processes(2).memory(Memory.NAMED).segmentPerWorker(true));
    }

    private static void assertPoolClosed(CompletableFuture<?> call) {
        Watch.await("the call to settle", call::isDone);
        assertThat(call).isCompletedExceptionally();
        assertThat(call.exceptionNow())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
    }

    /** Settled, or about to be by a callback thread or by whoever asks: nothing is left to wait for. */
    private static boolean hasOutcome(Call<?> call) {
        return ((HostCall<?>) call).isSettledOrArrived();
    }

    /** Runs in a thread of its own, so that the test can see that it does not return. */
    private static CompletableFuture<Thread> background(Runnable work) {
        CompletableFuture<Thread> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("close-test").start(() -> {
            try {
                work.run();
                done.complete(Thread.currentThread());
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    /** Long enough for what would return at once, if it were to return. */
    private static void assertStaysOpen(CompletableFuture<?> waiting) {
        assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    // ---- close

    @Test
    void close_openCalls_waitsForThem() {
        for (PoolBuilder builder : eachKind()) {
            List<Call<Long>> calls = new ArrayList<>();
            Pool pool = builder.open(ContractTasks.SPIN_MILLIS);
            for (int i = 0; i < 40; i++) {
                calls.add(pool.submit(ContractTasks.SPIN_MILLIS, 5L));
            }
            pool.close();
            assertThat(calls).allMatch(CloseTest::hasOutcome);
            assertThat(calls).allMatch(call -> call.join() == 5L);
        }
    }

    @Test
    void close_callsWithCallbacks_runsThem() {
        AtomicInteger ran = new AtomicInteger();
        try (Pool pool = threads(2).open()) {
            for (int i = 0; i < 50; i++) {
                pool.submit(ContractTasks.INC, 1L).thenRun(ran::incrementAndGet);
            }
        }
        Watch.await("the callbacks", () -> ran.get() == 50);
    }

    @Test
    void submit_afterClose_failsThroughTheCall() {
        for (PoolBuilder builder : eachKind()) {
            Pool pool = builder.open(ContractTasks.INC);
            pool.close();
            assertThat(pool.isClosed()).isTrue();
            assertPoolClosed(pool.submit(ContractTasks.INC, 1L));
            assertPoolClosed(pool.submit(() -> 1));
            assertThatThrownBy(() -> pool.invoke(ContractTasks.INC, 1L))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
        }
    }

    @Test
    void submit_taskNeverSeenBefore_afterClose_failsThroughTheCall() {
        for (PoolBuilder builder : eachKind()) {
            Pool pool = builder.open();
            pool.close();
            assertPoolClosed(pool.submit(ContractTasks.INC, 1L));
            assertPoolClosed(pool.submit(() -> 2));
        }
    }

    @Test
    void close_again_doesNothing() {
        for (PoolBuilder builder : eachKind()) {
            Pool pool = builder.open();
            pool.close();
            pool.close();
            assertThat(pool.shutdown(Duration.ZERO)).isTrue();
            pool.shutdownNow();
        }
    }

    @Test
    void close_byManyThreads_allWaitForTheEnd() throws Exception {
        GateTasks.shut();
        Pool pool = threads(1).open();
        Call<String> running = pool.submit(GateTasks.WAIT);
        GateTasks.awaitBegun(1);
        List<CompletableFuture<Thread>> closers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            closers.add(background(() -> {
                pool.close();
                assertThat(hasOutcome(running)).isTrue();
                assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().startsWith("knitting-watcher-close"));
            }));
        }
        assertStaysOpen(CompletableFuture.anyOf(closers.toArray(CompletableFuture[]::new)));
        Watch.await("refusal", pool::isClosed);
        assertPoolClosed(pool.submit(ContractTasks.INC, 1L));
        GateTasks.open();
        for (CompletableFuture<Thread> closer : closers) {
            closer.get(30, TimeUnit.SECONDS);
        }
        assertThat(running.get(30, TimeUnit.SECONDS)).isEqualTo("passed");
    }

    @Test
    void shutdown_taskStillRuns_saysSoAndFailsIt() throws Exception {
        GateTasks.shut();
        Pool pool = threads(1).open();
        Call<String> running = pool.submit(GateTasks.WAIT);
        GateTasks.awaitBegun(1);
        List<Call<Long>> behind = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            behind.add(pool.submit(ContractTasks.INC, 1L));
        }
        assertThat(pool.shutdown(Duration.ofMillis(50))).isFalse();
        assertPoolClosed(running);
        assertThat(behind).allSatisfy(CloseTest::assertPoolClosed);
        assertThat(pool.shutdown(Duration.ofSeconds(1)))
                .as("what the first one said")
                .isFalse();
    }

    @Test
    void shutdown_everythingSettles_saysSo() {
        for (PoolBuilder builder : eachKind()) {
            Pool pool = builder.open();
            Call<Long> call = pool.submit(ContractTasks.SPIN_MILLIS, 30L);
            assertThat(pool.shutdown(Duration.ofSeconds(60))).isTrue();
            assertThat(hasOutcome(call)).isTrue();
            assertThat(call.join()).isEqualTo(30);
        }
    }

    @Test
    void close_interrupted_endsAtOnceAndKeepsTheFlag() throws Exception {
        Pool pool = processes(1).open();
        Path mark = directory.resolve("mark");
        Call<Long> running = pool.submit(DeathTasks.MARK_AND_HANG, mark.toString());
        Watch.await("the task", () -> mark.toFile().length() > 0);
        CountDownLatch closing = new CountDownLatch(1);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread closer = Thread.ofPlatform().daemon().start(() -> {
            closing.countDown();
            pool.close();
            flag.complete(Thread.currentThread().isInterrupted());
        });
        closing.await();
        assertStaysOpen(flag);
        closer.interrupt();
        assertThat(flag.get(20, TimeUnit.SECONDS)).isTrue();
        assertPoolClosed(running);
    }

    /** A thread cannot be killed; a task that looks at its context, as it should, ends all the same. */
    @Test
    void shutdownNow_threadTaskLooksAtItsContext_ends() throws Exception {
        for (boolean copy : new boolean[] {false, true}) {
            Pool pool = threads(1).copyArguments(copy).open();
            CountDownLatch begun = new CountDownLatch(1);
            Call<String> busy = pool.submit(CancelTasks.UNTIL_CANCELLED).onProgress(report -> begun.countDown());
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            background(pool::shutdownNow).get(30, TimeUnit.SECONDS);
            assertPoolClosed(busy);
        }
        watch.assertNothingLeft(); // the threads have ended
    }

    /** The task goes on in memory that must then stay mapped: no crash, and the thread ends when the task does. */
    @Test
    void shutdownNow_threadTaskIgnoresInterrupts_returnsAndHarmsNobody() throws Exception {
        for (boolean copy : new boolean[] {false, true}) {
            for (Doorbells bells : List.of(Doorbells.FUTEX, Doorbells.SOCKET)) {
                GateTasks.shut();
                Pool pool = threads(1).copyArguments(copy).doorbells(bells).open();
                Call<String> stubborn = pool.submit(GateTasks.WAIT_STUBBORN);
                GateTasks.awaitBegun(1);
                background(pool::shutdownNow).get(30, TimeUnit.SECONDS);
                GateTasks.awaitBegun(1); // it was interrupted
                assertPoolClosed(stubborn);
                GateTasks.open();
                Watch.await(
                        "the worker's end",
                        () -> Thread.getAllStackTraces().keySet().stream()
                                .noneMatch(thread -> thread.getName().startsWith("knitting-worker-close")));
            }
        }
    }

    /** Who hears that the pool has ended a call in a thread may rely on the interrupt: it was sent before. */
    @Test
    void shutdownNow_threads_theInterruptComesBeforeTheNews() throws Exception {
        for (int round = 0; round < 10; round++) {
            LimitTasks.hold();
            Pool pool = threads(4).open();
            List<CompletableFuture<Boolean>> interrupted = new ArrayList<>();
            for (int worker = 0; worker < 4; worker++) {
                CompletableFuture<Thread> thread = new CompletableFuture<>();
                LimitTasks.TELL.offer(thread);
                Call<Boolean> call = pool.submit(LimitTasks.IGNORE_INTERRUPT);
                Thread runner = thread.get(30, TimeUnit.SECONDS);
                interrupted.add(call.ended().thenApply(end -> runner.isInterrupted()));
            }
            CompletableFuture<?> shutdown = background(pool::shutdownNow);
            for (CompletableFuture<Boolean> each : interrupted) {
                assertThat(each.get(30, TimeUnit.SECONDS)).isTrue();
            }
            LimitTasks.release();
            shutdown.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void openAndClose_manyTimes_leaksNoDescriptor() {
        for (PoolBuilder builder : List.of(
                threads(2), threads(2).doorbells(Doorbells.SOCKET), threads(2).memory(Memory.PORTABLE))) {
            builder.open(ContractTasks.INC).close();
            System.gc();
            int before = Watch.descriptors();
            for (int i = 0; i < 20; i++) {
                try (Pool pool = builder.open(ContractTasks.INC)) {
                    assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
                }
            }
            assertThat(Watch.descriptors()).as(builder.options().toString()).isLessThanOrEqualTo(before + 5);
        }
    }

    @Test
    void close_fromACallback_ends() throws Exception {
        Pool pool = threads(1).open();
        CompletableFuture<Void> closed =
                pool.submit(ContractTasks.SPIN_MILLIS, 30L).thenRun(pool::close);
        closed.get(30, TimeUnit.SECONDS);
        assertThat(pool.isClosed()).isTrue();
    }

    // ---- a full queue

    @Test
    void queue_fullAndBlocking_holdsTheCallerUntilThereIsRoom() throws Exception {
        GateTasks.shut();
        try (Pool pool = threads(1).queue(1, QueuePolicy.BLOCK).open()) {
            List<Call<String>> calls = java.util.Collections.synchronizedList(new ArrayList<>());
            AtomicInteger submitted = new AtomicInteger();
            CompletableFuture<Thread> caller = background(() -> {
                for (int i = 0; i < 30; i++) {
                    calls.add(pool.submit(GateTasks.WAIT));
                    submitted.incrementAndGet();
                }
            });
            GateTasks.awaitBegun(1);
            assertStaysOpen(caller);
            assertThat(submitted.get()).as("mailbox and queue hold few").isBetween(1, 29);
            GateTasks.open();
            caller.get(30, TimeUnit.SECONDS);
            for (Call<String> call : calls) {
                assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("passed");
            }
        }
    }

    @Test
    void queue_fullAndBlocking_doesNotHoldACallback() throws Exception {
        GateTasks.shut();
        try (Pool pool = threads(1).queue(1, QueuePolicy.BLOCK).open()) {
            List<Call<String>> calls = java.util.Collections.synchronizedList(new ArrayList<>());
            CompletableFuture<Void> inCallback = pool.submit(ContractTasks.SPIN_MILLIS, 50L)
                    .thenRun(() -> {
                        for (int i = 0; i < 30; i++) {
                            calls.add(pool.submit(GateTasks.WAIT));
                        }
                    });
            inCallback.get(30, TimeUnit.SECONDS); // the gate is still shut
            assertThat(calls).hasSize(30).noneMatch(Call::isDone);
            GateTasks.open();
            for (Call<String> call : calls) {
                assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("passed");
            }
        }
    }

    @Test
    void queue_fullAndRejecting_failsTheCallAndNamesTheOption() throws Exception {
        GateTasks.shut();
        try (Pool pool = threads(1).queue(3, QueuePolicy.REJECT).open()) {
            List<Call<String>> calls = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                calls.add(pool.submit(GateTasks.WAIT));
            }
            List<Call<String>> refused =
                    calls.stream().filter(Call::isCompletedExceptionally).toList();
            List<Call<String>> accepted =
                    calls.stream().filter(call -> !refused.contains(call)).toList();
            assertThat(accepted).hasSizeBetween(4, 6);
            for (Call<String> call : refused) {
                assertThat(call.exceptionNow())
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL))
                        .hasMessageContaining("limit=3")
                        .hasMessageContaining("option=queue");
            }
            GateTasks.open();
            for (Call<String> call : accepted) {
                assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("passed");
            }
            for (int i = 0; i < 10; i++) {
                assertThat(pool.submit(GateTasks.WAIT).get(30, TimeUnit.SECONDS))
                        .isEqualTo("passed");
            }
        }
    }

    @Test
    void queue_cancelledCalls_giveTheirPlaceBack() throws Exception {
        GateTasks.shut();
        try (Pool pool = threads(1).queue(4, QueuePolicy.REJECT).open()) {
            Call<String> running = pool.submit(GateTasks.WAIT);
            List<Call<String>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(pool.submit(GateTasks.WAIT));
            }
            waiting.forEach(call -> call.cancel(true));
            GateTasks.open();
            assertThat(running.get(30, TimeUnit.SECONDS)).isEqualTo("passed");
            for (int round = 0; round < 5; round++) {
                GateTasks.shut();
                List<Call<String>> next = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    next.add(pool.submit(GateTasks.WAIT));
                }
                GateTasks.open();
                for (Call<String> call : next) {
                    assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo("passed");
                }
            }
        }
    }

    /** The arena holds one of them; the second must wait in the queue, not in its submitter. */
    @Test
    void submit_arenaFullForLong_returnsAtOnce() throws Exception {
        GateTasks.shut();
        try (Pool pool = threads(1)
                .copyArguments(true)
                .payload(payload -> payload.ceilingBytes(1 << 20))
                .open(GateTasks.WAIT_WITH_BYTES)) {
            Call<Integer> first = pool.submit(GateTasks.WAIT_WITH_BYTES, new byte[700_000]);
            GateTasks.awaitBegun(1);
            CompletableFuture<Call<Integer>> second = new CompletableFuture<>();
            background(() -> second.complete(pool.submit(GateTasks.WAIT_WITH_BYTES, new byte[700_000])));
            Call<Integer> queued = second.get(10, TimeUnit.SECONDS);
            assertThat(queued.isDone()).isFalse();
            GateTasks.open();
            assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(700_000);
            assertThat(queued.get(30, TimeUnit.SECONDS)).isEqualTo(700_000);
        }
    }

    @Test
    void close_callsWaitInTheQueue_runsThem() throws Exception {
        GateTasks.shut();
        Pool pool = threads(1).open();
        List<Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            calls.add(pool.submit(GateTasks.WAIT));
        }
        CompletableFuture<Thread> closer = background(pool::close);
        Watch.await("refusal", pool::isClosed);
        GateTasks.open();
        closer.get(30, TimeUnit.SECONDS);
        for (Call<String> call : calls) {
            assertThat(call.get(1, TimeUnit.SECONDS)).isEqualTo("passed");
        }
    }

    /** The submitter that is held by a full queue when the pool closes fails alone: those before it run. */
    @Test
    void close_aSubmitterIsHeldByTheFullQueue_callsBeforeItRun() throws Exception {
        for (int round = 0; round < 20; round++) {
            GateTasks.shut();
            Pool pool = threads(1).queue(3, QueuePolicy.BLOCK).open();
            List<Call<String>> calls = java.util.Collections.synchronizedList(new ArrayList<>());
            CompletableFuture<Thread> submitter = background(() -> {
                while (!pool.isClosed()) {
                    calls.add(pool.submit(GateTasks.WAIT));
                }
            });
            GateTasks.awaitBegun(1);
            Watch.await("some calls", () -> calls.size() >= 4);
            List<Call<String>> before = List.copyOf(calls);
            CompletableFuture<Thread> closer = background(pool::close);
            GateTasks.open();
            closer.get(30, TimeUnit.SECONDS);
            submitter.get(30, TimeUnit.SECONDS);
            for (Call<String> call : before) {
                try {
                    assertThat(call.get(1, TimeUnit.SECONDS)).isEqualTo("passed");
                } catch (ExecutionException e) {
                    throw new AssertionError("round=" + round + ": submitted before close, but failed", e);
                }
            }
            assertThat(calls).allMatch(CloseTest::hasOutcome);
        }
    }
}

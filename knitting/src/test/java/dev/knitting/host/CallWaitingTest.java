package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that wait for a call: what an interrupt and a limit do to them, and to the call. */
@ParameterizedClass(name = "{0}")
@EnumSource
class CallWaitingTest {
    enum Kind {
        THREADS,
        COPYING,
        PROCESSES;

        PoolBuilder builder() {
            return this == PROCESSES ? Pool.processes(1) : Pool.threads(1).copyArguments(this == COPYING);
        }
    }

    /** A service of which one method waits for a file to appear, the other says whether that was interrupted. */
    interface Waiter {
        String waitFor(String gate, String begun) throws Exception;

        boolean wasInterrupted();
    }

    static final class WaiterWorker implements Waiter {
        private boolean interrupted;

        public WaiterWorker() {}

        @Override
        public String waitFor(String gate, String begun) throws Exception {
            Files.createFile(Path.of(begun));
            try {
                new CountDownLatch(1).await();
                return gate;
            } catch (InterruptedException e) {
                interrupted = true;
                throw e;
            }
        }

        @Override
        public boolean wasInterrupted() {
            return interrupted;
        }
    }

    private static Pool pool;

    @Parameter
    Kind kind;

    @TempDir
    Path directory;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.builder()
                .service(Waiter.class, WaiterWorker.class.getName())
                .open(CancelTasks.DEAF_UNTIL_FILE);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        assertThat(pool.shutdown(Duration.ofSeconds(30)))
                .as("no call was left open")
                .isTrue();
    }

    /** Whatever a test found, its call ends, and the pool's only worker is free for the next test. */
    @AfterEach
    void letGo() throws IOException {
        if (Files.notExists(gate())) {
            Files.createFile(gate());
        }
    }

    private Path gate() {
        return directory.resolve("gate");
    }

    /** A call that is open until the gate is a file. */
    private Call<String> openCall() {
        return pool.submit(CancelTasks.DEAF_UNTIL_FILE, gate().toString());
    }

    private static <T> FutureTask<T> inThread(Thread.Builder kind, java.util.concurrent.Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        kind.start(task);
        return task;
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    /** What a thread's wait gave, and whether it was interrupted at the end of it. */
    private record Waited(String value, boolean interrupted) {}

    @Test
    void join_interrupted_waitsOnAndKeepsTheFlag() throws Exception {
        Call<String> call = openCall();
        CompletableFuture<Integer> dependent = call.thenApply(String::length);
        for (Thread.Builder builder : new Thread.Builder[] {Thread.ofPlatform(), Thread.ofVirtual()}) {
            CountDownLatch waiting = new CountDownLatch(2);
            FutureTask<Waited> early = inThread(builder, () -> {
                Thread.currentThread().interrupt();
                waiting.countDown();
                return new Waited(call.join(), Thread.currentThread().isInterrupted());
            });
            FutureTask<Waited> ofDependent = inThread(builder, () -> {
                Thread.currentThread().interrupt();
                waiting.countDown();
                return new Waited(
                        dependent.join().toString(), Thread.currentThread().isInterrupted());
            });
            assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> early.get(30, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(ofDependent).isNotDone();
            if (builder instanceof Thread.Builder.OfVirtual) {
                Files.createFile(gate());
                assertThat(get(early)).isEqualTo(new Waited(gate().toString(), true));
                assertThat(get(ofDependent))
                        .isEqualTo(new Waited(Integer.toString(gate().toString().length()), true));
            }
        }
        assertThat(call.join()).isEqualTo(gate().toString());
    }

    @Test
    void join_interruptedWhileItSleeps_waitsOnAndKeepsTheFlag() throws Exception {
        Call<String> call = openCall();
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        FutureTask<Waited> joined = inThread(Thread.ofPlatform(), () -> {
            waiter.complete(Thread.currentThread());
            return new Waited(call.join(), Thread.currentThread().isInterrupted());
        });
        Thread thread = get(waiter);
        Watch.await("the waiter to sleep", () -> thread.getState() != Thread.State.NEW);
        thread.interrupt();
        assertThatThrownBy(() -> joined.get(30, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        Files.createFile(gate());
        assertThat(get(joined)).isEqualTo(new Waited(gate().toString(), true));
    }

    @Test
    void get_dependentInterrupted_throwsAndHarmsNobody() throws Exception {
        Call<String> call = openCall();
        CompletableFuture<Integer> dependent = call.thenApply(String::length);
        Thread.currentThread().interrupt();
        assertThatThrownBy(dependent::get).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(call).isNotDone();
        Files.createFile(gate());
        assertThat(get(dependent)).isEqualTo(gate().toString().length());
    }

    @Test
    void get_timeIsOver_throwsAndTheCallGoesOn() throws Exception {
        Call<String> call = openCall();
        for (long nanos : new long[] {Long.MIN_VALUE, -1, 0, 1, 5_000_000}) {
            assertThatThrownBy(() -> call.get(nanos, TimeUnit.NANOSECONDS)).isInstanceOf(TimeoutException.class);
        }
        assertThat(call).isNotDone();
        Files.createFile(gate());
        assertThat(call.get(Long.MAX_VALUE, TimeUnit.DAYS)).isEqualTo(gate().toString());
        assertThat(call.get(0, TimeUnit.NANOSECONDS)).isEqualTo(gate().toString());
    }

    @Test
    void serviceMethod_interrupted_cancelsKeepsTheFlagAndSaysSo() throws Exception {
        Waiter service = pool.service(Waiter.class);
        Path begun = directory.resolve("begun");
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        FutureTask<Boolean> called = inThread(Thread.ofPlatform(), () -> {
            waiter.complete(Thread.currentThread());
            assertThatThrownBy(() -> service.waitFor("", begun.toString()))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERRUPTED));
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = get(waiter);
        Watch.await("the method to run", () -> Files.exists(begun));
        thread.interrupt();
        assertThat(get(called)).as("flag kept").isTrue();
        assertThat(service.wasInterrupted())
                .as("the work was stopped; the one worker is free again")
                .isTrue();
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.Doorbells;
import dev.knitting.Isolation;
import dev.knitting.Memory;
import dev.knitting.Pool;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** B30: sleepers are woken by their bell. A minute's park: a ring that is missed cannot hide behind its end. */
@ParameterizedClass(name = "{0}")
@MethodSource("combinations")
class ParkedWorkerTest {
    private static final Duration PARK = Duration.ofSeconds(60);
    /** Far below the park, far above what a wake-up takes on a busy machine. */
    private static final long PROMPT_SECONDS = 10;

    record Combination(Isolation isolation, Memory memory, Doorbells bells, boolean separate, long spinNanos) {
        Pool open() {
            return Pool.of(isolation)
                    .workers(2)
                    .name("parked")
                    .copyArguments(true)
                    .memory(memory)
                    .doorbells(bells)
                    .segmentPerWorker(separate)
                    .tuning(tuning -> tuning.park(PARK).spin(Duration.ofNanos(spinNanos)))
                    .jvm(jvm -> jvm.maxHeap("64m"))
                    .open(ContractTasks.INC, ContractTasks.SPIN_MILLIS);
        }
    }

    static List<Combination> combinations() {
        List<Combination> all = new ArrayList<>();
        for (Isolation isolation : Isolation.values()) {
            all.add(new Combination(isolation, Memory.INHERITED, Doorbells.FUTEX, false, 50_000));
            all.add(new Combination(isolation, Memory.INHERITED, Doorbells.FUTEX, false, 0));
            all.add(new Combination(isolation, Memory.PORTABLE, Doorbells.SOCKET, false, 0));
        }
        all.add(new Combination(Isolation.PROCESSES, Memory.INHERITED, Doorbells.FUTEX, true, 0));
        all.add(new Combination(Isolation.PROCESSES, Memory.NAMED, Doorbells.SOCKET, true, 0));
        return all;
    }

    private static Pool pool;

    @Parameter
    Combination combination;

    @BeforeParameterizedClassInvocation
    static void open(Combination combination) {
        pool = combination.open();
    }

    @AfterParameterizedClassInvocation
    static void close() {
        long start = System.nanoTime();
        pool.close(); // rings workers that sleep
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(PROMPT_SECONDS));
    }

    private static Lane[] lanes() {
        try {
            Field field = DefaultPool.class.getDeclaredField("dispatcher");
            field.setAccessible(true);
            return ((Dispatcher) field.get(pool)).lanes();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitAsleep() {
        Watch.await("the workers to sleep", () -> {
            for (Lane lane : lanes()) {
                if (!lane.isWorkerAsleep()) {
                    return false;
                }
            }
            return true;
        });
    }

    @Test
    void call_toAParkedWorker_isAnsweredSoon() throws Exception {
        for (long i = 0; i < 20; i++) {
            awaitAsleep();
            assertThat(pool.submit(ContractTasks.INC, i).get(PROMPT_SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(i + 1);
        }
    }

    @Test
    void burst_toParkedWorkers_isAnsweredSoon() throws Exception {
        for (int round = 0; round < 5; round++) {
            awaitAsleep();
            List<Call<Long>> calls = new ArrayList<>();
            for (long i = 0; i < 300; i++) {
                calls.add(pool.submit(ContractTasks.INC, i));
            }
            for (int i = 0; i < 300; i++) {
                assertThat(calls.get(i).get(PROMPT_SECONDS, TimeUnit.SECONDS)).isEqualTo(i + 1);
            }
        }
    }

    @Test
    void invoke_longTask_answersSoonAfterItsEnd() {
        long start = System.nanoTime();
        assertThat(pool.invoke(ContractTasks.SPIN_MILLIS, 300L)).isEqualTo(300);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(300), Duration.ofSeconds(PROMPT_SECONDS));
    }

    /** Nobody waits for the call: the host's own thread sleeps on the bell, for a minute unless it is rung. */
    @Test
    void submit_longTaskWithoutAWaiter_completesSoonAfterItsEnd() throws Exception {
        for (int round = 0; round < 3; round++) {
            CompletableFuture<Long> told = new CompletableFuture<>();
            pool.submit(ContractTasks.SPIN_MILLIS, 200L).thenAccept(told::complete);
            assertThat(told.get(PROMPT_SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
        }
    }

    @Test
    void submit_severalWaiters_eachIsToldSoon() throws Exception {
        List<CompletableFuture<Long>> told = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            long millis = 50L + 50 * i;
            CompletableFuture<Long> one = new CompletableFuture<>();
            told.add(one);
            Runnable work = () -> {
                try {
                    one.complete(pool.invoke(ContractTasks.SPIN_MILLIS, millis));
                } catch (Throwable e) {
                    one.completeExceptionally(e);
                }
            };
            if (i % 2 == 0) {
                Thread.ofPlatform().daemon().start(work);
            } else {
                Thread.ofVirtual().start(work);
            }
        }
        for (CompletableFuture<Long> one : told) {
            one.get(PROMPT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void replacedWorker_parksAndIsRungLikeTheFirst() throws Exception {
        if (combination.isolation == Isolation.THREADS) {
            return; // threads do not die
        }
        for (int round = 0; round < 2; round++) {
            long dead = pool.submit(DeathTasks.PID).get(PROMPT_SECONDS, TimeUnit.SECONDS);
            CompletableFuture<Long> meanwhile = new CompletableFuture<>();
            pool.submit(ContractTasks.SPIN_MILLIS, 100L).whenComplete((value, failure) -> meanwhile.complete(value));
            ProcessHandle.of(dead).orElseThrow().destroyForcibly();
            meanwhile.get(PROMPT_SECONDS, TimeUnit.SECONDS);
            Lane[] before = lanes();
            Watch.await("the replacement", () -> {
                for (Lane lane : lanes()) {
                    if (!lane.isOpen()) {
                        return false;
                    }
                }
                return true;
            });
            assertThat(before).hasSize(2);
            for (int i = 0; i < 10; i++) {
                awaitAsleep();
                CompletableFuture<Long> one = new CompletableFuture<>();
                CompletableFuture<Long> other = new CompletableFuture<>();
                pool.submit(ContractTasks.SPIN_MILLIS, 20L).thenAccept(one::complete);
                pool.submit(ContractTasks.SPIN_MILLIS, 21L).thenAccept(other::complete);
                assertThat(one.get(PROMPT_SECONDS, TimeUnit.SECONDS)).isEqualTo(20);
                assertThat(other.get(PROMPT_SECONDS, TimeUnit.SECONDS)).isEqualTo(21);
            }
        }
    }
}

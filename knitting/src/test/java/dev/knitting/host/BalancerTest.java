package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Balancer;
import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Stealing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where calls go when each worker has a mailbox of its own. */
class BalancerTest {
    private static final int MAILBOX = 64;

    @TempDir
    Path folder;

    private static Pool threads(int workers, Balancer balancer) {
        return Pool.threads(workers)
                .tuning(tuning -> tuning.balancer(balancer))
                .open(ContractTasks.WORKER_ID, DeathTasks.MARK_AND_AWAIT_FILE);
    }

    private static List<Integer> workersOfLoneCalls(Pool pool, int calls) {
        List<Integer> workers = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            workers.add(pool.invoke(ContractTasks.WORKER_ID));
        }
        return workers;
    }

    private static List<Integer> workersOfBurst(Pool pool, int calls) throws Exception {
        List<Call<Integer>> burst = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            burst.add(pool.submit(ContractTasks.WORKER_ID));
        }
        List<Integer> workers = new ArrayList<>();
        for (Call<Integer> call : burst) {
            workers.add(call.get(20, TimeUnit.SECONDS));
        }
        return workers;
    }

    /** Occupies whichever worker the next call goes to, until the file is there. */
    private Call<String> occupy(Pool pool, String name) throws Exception {
        Path mark = folder.resolve(name + "-mark");
        Call<String> held = pool.submit(DeathTasks.MARK_AND_AWAIT_FILE, mark + "\n" + folder.resolve(name));
        Watch.await("mark", () -> Files.exists(mark));
        return held;
    }

    private void release(String name) throws Exception {
        Files.createFile(folder.resolve(name));
    }

    @Test
    void roundRobin_oneAfterTheOther() {
        try (Pool pool = threads(3, Balancer.ROUND_ROBIN)) {
            List<Integer> workers = workersOfLoneCalls(pool, 9);
            int first = workers.getFirst();
            for (int i = 0; i < 9; i++) {
                assertThat(workers.get(i)).isEqualTo((first + i) % 3);
            }
        }
    }

    @Test
    void roundRobin_fullMailbox_isPassedOver() throws Exception {
        try (Pool pool = threads(2, Balancer.ROUND_ROBIN)) {
            Call<String> held = occupy(pool, "go");
            List<Call<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 6 * MAILBOX; i++) {
                calls.add(pool.submit(ContractTasks.WORKER_ID));
            }
            int other = 6 * MAILBOX - (MAILBOX - 1); // the call that holds the worker has a slot, too
            Watch.await(
                    "all but a mailbox of calls",
                    () -> calls.stream().filter(Call::isDone).count() >= other);
            assertThat(held.isDone()).isFalse();
            release("go");
            for (Call<Integer> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void firstIdle_loneCalls_goToTheFirst_andToTheNextWhenItIsBusy() throws Exception {
        try (Pool pool = threads(3, Balancer.FIRST_IDLE)) {
            assertThat(workersOfLoneCalls(pool, 20)).containsOnly(0);

            Call<String> held = occupy(pool, "go");

            assertThat(workersOfLoneCalls(pool, 20)).containsOnly(1);
            release("go");
            held.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void firstIdleOrRandom_idleFirst_elseAny() throws Exception {
        try (Pool pool = threads(2, Balancer.FIRST_IDLE_OR_RANDOM)) {
            assertThat(workersOfLoneCalls(pool, 20)).containsOnly(0);

            Call<String> one = occupy(pool, "one");
            Call<String> two = occupy(pool, "two");
            List<Call<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < MAILBOX; i++) {
                calls.add(pool.submit(ContractTasks.WORKER_ID));
            }
            release("one");
            release("two");
            List<Integer> workers = new ArrayList<>();
            for (Call<Integer> call : calls) {
                workers.add(call.get(20, TimeUnit.SECONDS));
            }
            assertThat(workers).contains(0, 1);
            one.get(20, TimeUnit.SECONDS);
            two.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void random_everyWorkerGetsItsPart_inNoOrder() {
        try (Pool pool = threads(3, Balancer.RANDOM)) {
            List<Integer> workers = workersOfLoneCalls(pool, 300);
            for (int worker = 0; worker < 3; worker++) {
                int each = worker;
                assertThat(workers.stream().filter(one -> one == each).count())
                        .as("100 expected; fewer than 50 happens once in 10^9 runs")
                        .isGreaterThan(50);
            }
            long repeats = java.util.stream.IntStream.range(1, 300)
                    .filter(i -> workers.get(i).equals(workers.get(i - 1)))
                    .count();
            assertThat(repeats).as("one after the other would repeat none").isGreaterThan(50);
        }
    }

    @Test
    void everyBalancer_burst_isServedWhole() throws Exception {
        for (Balancer balancer : Balancer.values()) {
            try (Pool pool = threads(2, balancer)) {
                assertThat(workersOfBurst(pool, 1_000)).as(balancer.name()).hasSize(1_000);
            }
            try (Pool pool = threads(1, balancer)) {
                assertThat(workersOfBurst(pool, 100)).as(balancer.name()).containsOnly(0);
            }
        }
    }

    @Test
    void chosen_switchesTheDefaultOfStealingOff_andContradictsIt() {
        assertThat(Pool.threads(2)
                        .tuning(tuning -> tuning.balancer(Balancer.RANDOM))
                        .options()
                        .isStealing())
                .isFalse();
        assertThatThrownBy(() -> Pool.threads(2)
                        .tuning(tuning -> tuning.balancer(Balancer.RANDOM).stealing(Stealing.ON))
                        .open())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION))
                .hasMessageContaining("tuning.stealing=ON")
                .hasMessageContaining("tuning.balancer=RANDOM");
    }
}

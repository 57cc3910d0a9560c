package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Inliner;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Stealing;
import dev.knitting.Task;
import dev.knitting.TaskFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The host takes part in the work. */
class InlinerTest {
    private static final long HOST = ProcessHandle.current().pid();
    private static final Task<Void, String> THREAD = Task.of(InlinerTest::threadName);
    private static final Task<byte[], byte[]> CHANGE = Task.of(InlinerTest::change);

    @TempDir
    Path folder;

    static String threadName() {
        return Thread.currentThread().getName();
    }

    static byte[] change(byte[] bytes) {
        bytes[0]++;
        return bytes;
    }

    private static PoolBuilder threads(int workers, Inliner inliner) {
        return Pool.threads(workers).name("host").tuning(tuning -> tuning.inliner(inliner));
    }

    private static PoolBuilder processes(Inliner inliner) {
        return Pool.processes(1)
                .name("host")
                .allowOnHost(true)
                .jvm(jvm -> jvm.maxHeap("64m"))
                .tuning(tuning -> tuning.inliner(inliner));
    }

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
    void last_oneCallOpen_theHostTakesTheNext_inThreadsAndProcesses() throws Exception {
        try (Pool pool = threads(1, Inliner.last()).open(THREAD)) {
            assertThat(pool.invoke(THREAD)).as("nothing open: the worker").doesNotStartWith("knitting-inline");

            Call<String> held = occupy(pool, "threads");

            for (int i = 0; i < 20; i++) {
                assertThat(pool.submit(THREAD).get(20, TimeUnit.SECONDS)).isEqualTo("knitting-inline-host");
            }
            release("threads");
            held.get(20, TimeUnit.SECONDS);
        }
        try (Pool pool = processes(Inliner.last()).open(DeathTasks.PID)) {
            assertThat(pool.invoke(DeathTasks.PID)).isNotEqualTo(HOST);

            Call<String> held = occupy(pool, "processes");

            assertThat(pool.invoke(DeathTasks.PID)).isEqualTo(HOST);
            release("processes");
            held.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void last_idleWorker_isPreferred_first_isNot() throws Exception {
        for (Inliner inliner : List.of(Inliner.last(), Inliner.first())) {
            String name = inliner.place().name();
            try (Pool pool = threads(2, inliner).open(THREAD)) {
                Call<String> held = occupy(pool, name);

                assertThat(pool.submit(THREAD).get(20, TimeUnit.SECONDS).startsWith("knitting-inline"))
                        .as(name)
                        .isEqualTo(inliner.place() == Inliner.Place.FIRST);
                release(name);
                held.get(20, TimeUnit.SECONDS);
            }
        }
    }

    /** A worker that is held up has one more call at most; the next waits in the host, and is the first to be run there. */
    @Test
    void threshold_belowIt_callsWaitForTheWorker() throws Exception {
        try (Pool pool = threads(1, Inliner.last().threshold(3)).open(THREAD)) {
            Call<String> held = occupy(pool, "go");
            Call<String> second = pool.submit(THREAD);
            Call<String> third = pool.submit(THREAD);
            Call<String> fourth = pool.submit(THREAD);

            assertThat(third.get(20, TimeUnit.SECONDS)).startsWith("knitting-inline");

            assertThat(second.isDone() || fourth.isDone()).isFalse();
            release("go");
            held.get(20, TimeUnit.SECONDS);
            assertThat(second.get(20, TimeUnit.SECONDS)).doesNotStartWith("knitting-inline");
            assertThat(fourth.get(20, TimeUnit.SECONDS)).doesNotStartWith("knitting-inline");
        }
    }

    @Test
    void burst_bothTakePart_everyResultIsRight() throws Exception {
        try (Pool pool = processes(Inliner.first()).open(ContractTasks.INC, CHANGE)) {
            List<Call<Long>> calls = new ArrayList<>();
            for (long i = 0; i < 5_000; i++) {
                calls.add(pool.submit(ContractTasks.INC, i));
            }
            for (int i = 0; i < calls.size(); i++) {
                assertThat(calls.get(i).get(20, TimeUnit.SECONDS)).isEqualTo(i + 1L);
            }
            Call<String> held = occupy(pool, "go");
            byte[] mine = {1};
            assertThat(pool.submit(CHANGE, mine).get(20, TimeUnit.SECONDS)).containsExactly(2);
            assertThat(mine).as("copied, as for a worker").containsExactly(1);
            release("go");
            held.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void failure_isTheTasks() throws Exception {
        try (Pool pool = threads(1, Inliner.last()).open(ContractTasks.FAIL)) {
            Call<String> held = occupy(pool, "go");
            assertThatThrownBy(() -> pool.submit(ContractTasks.FAIL, "no").get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(TaskFailedException.class)
                    .hasMessageContaining("no");
            release("go");
            held.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void timeLimits_goToAWorker() throws Exception {
        try (Pool pool = threads(1, Inliner.last()).open(THREAD)) {
            Call<String> held = occupy(pool, "go");
            Call<String> limited = pool.submit(THREAD.timeout(Duration.ofSeconds(50)));
            assertThat(pool.submit(THREAD).get(20, TimeUnit.SECONDS)).startsWith("knitting-inline");
            assertThat(limited.isDone()).isFalse();
            release("go");
            held.get(20, TimeUnit.SECONDS);
            assertThat(limited.get(20, TimeUnit.SECONDS)).doesNotStartWith("knitting-inline");
        }
    }

    @Test
    void shutdownNow_whileTheHostRunsACall_failsIt() throws Exception {
        Call<String> inHost;
        try (Pool pool = threads(1, Inliner.last()).open()) {
            Call<String> held = occupy(pool, "worker");
            inHost = occupy(pool, "host");
            assertThat(pool.submit(THREAD).isDone())
                    .as("the host has one call at a time")
                    .isFalse();

            release("worker");
            held.get(20, TimeUnit.SECONDS);
            pool.shutdownNow();
        }
        assertThatThrownBy(() -> inHost.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
        assertThat(inHost.ended().get(20, TimeUnit.SECONDS)).isEqualTo(Ended.LOST);
        release("host");
    }

    @Test
    void close_waitsForTheCallInTheHost() throws Exception {
        Call<String> inHost;
        Thread closer;
        try (Pool pool = threads(1, Inliner.last()).open()) {
            Call<String> held = occupy(pool, "worker");
            inHost = occupy(pool, "host");
            release("worker");
            held.get(20, TimeUnit.SECONDS);
            closer = Thread.ofPlatform().start(pool::close);
            Watch.await("closing", pool::isClosed);
            assertThat(inHost.isDone()).isFalse();
            release("host");
            assertThat(closer.join(Duration.ofSeconds(20))).isTrue();
            assertThat(inHost.isDone()).isTrue();
        }
    }

    @Test
    void cancelled_whileTheHostRunsIt_settlesAtOnce_endsLater() throws Exception {
        try (Pool pool = threads(1, Inliner.last()).open()) {
            Call<String> held = occupy(pool, "worker");
            Call<String> inHost = occupy(pool, "host");

            assertThat(inHost.cancel(true)).isTrue();

            assertThat(inHost.ended().isDone()).isFalse();
            release("host");
            assertThat(inHost.ended().get(20, TimeUnit.SECONDS)).isEqualTo(Ended.RETURNED);
            release("worker");
            held.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void options_thatContradictIt_areRefused() {
        assertRefused(Pool.processes(1).tuning(tuning -> tuning.inliner(Inliner.last())), "allowOnHost=false");
        assertRefused(
                Pool.threads(2).tuning(tuning -> tuning.inliner(Inliner.last()).stealing(Stealing.ON)),
                "tuning.stealing=ON");
        assertRefused(threads(1, Inliner.last()).bootstrap(Task.action(InlinerTest::nothing)), "bootstrap=");
        assertThatThrownBy(() -> Inliner.last().threshold(0)).hasMessageContaining("tuning.inliner.threshold");
        assertThat(Pool.of(Isolation.THREADS)
                        .workers(2)
                        .tuning(tuning -> tuning.inliner(Inliner.last()))
                        .options()
                        .isStealing())
                .isFalse();
    }

    static void nothing() {}

    private static void assertRefused(PoolBuilder pool, String because) {
        assertThatThrownBy(pool::open)
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION))
                .hasMessageContaining("tuning.")
                .hasMessageContaining(because);
    }
}

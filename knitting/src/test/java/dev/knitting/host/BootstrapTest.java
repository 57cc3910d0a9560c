package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import dev.knitting.Task;
import dev.knitting.TaskContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The hook that runs once in each worker before everything else. */
class BootstrapTest {
    enum Kind {
        PROCESSES,
        THREADS,
        DIRECT;

        PoolBuilder builder() {
            return (this == PROCESSES ? Pool.processes(2) : Pool.threads(2)).jvm(jvm -> jvm.maxHeap("256m"));
        }

        Pool open(PoolBuilder builder, Task<?, ?>... tasks) {
            return this == DIRECT ? builder.direct() : builder.open(tasks);
        }
    }

    record Settings(String journal, Map<String, List<Integer>> nested) {}

    private static final Task<Settings, Void> HOOK = Task.action(BootstrapTest::hook);
    private static final Task<Void, Void> BROKEN = Task.action(BootstrapTest::broken);
    private static final Task<Void, Long> PID = Task.of(BootstrapTest::pid);

    /** Initialised by whoever needs it first: the task's class, after the hook if all is right. */
    static final class Late {
        static final int HOOKS_BEFORE = HOOKS.get();
        static final Task<Void, Integer> SEEN = Task.of(Late::seen);

        private Late() {}

        private static int seen() {
            return HOOKS_BEFORE;
        }
    }

    private static final AtomicInteger HOOKS = new AtomicInteger();

    @TempDir
    private Path directory;

    private static void hook(Settings settings) throws IOException {
        HOOKS.incrementAndGet();
        Files.writeString(
                Path.of(settings.journal),
                TaskContext.current().workerId() + " " + settings.nested + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static void broken() throws IOException {
        throw new IOException("no configuration today");
    }

    private static long pid() {
        return ProcessHandle.current().pid();
    }

    private Settings settings() {
        return new Settings(directory.resolve("journal").toString(), Map.of("a", List.of(1, 2)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void hook_runsOnceInEachWorker_withItsArgument(Kind kind) throws IOException {
        Settings settings = settings();
        try (Pool pool = kind.open(kind.builder().bootstrap(HOOK, settings))) {
            for (int i = 0; i < 20; i++) {
                pool.invoke(PID);
            }
        }
        List<String> lines = Files.readAllLines(Path.of(settings.journal));
        if (kind == Kind.DIRECT) {
            assertThat(lines).containsExactly("-1 {a=[1, 2]}");
        } else {
            assertThat(lines).containsExactlyInAnyOrder("0 {a=[1, 2]}", "1 {a=[1, 2]}");
        }
    }

    @Test
    void hook_runsBeforeTheFirstTasksClassIsInitialised() {
        Task<Void, Integer> seen = Task.named(Late.class.getName(), "seen", void.class, int.class);
        try (Pool pool = Pool.processes(1).bootstrap(HOOK, settings()).open(seen)) {
            assertThat(pool.invoke(seen)).isEqualTo(1);
        }
    }

    @Test
    void hook_runsInAReplacementToo() throws Exception {
        Settings settings = settings();
        try (Pool pool = Pool.processes(1).bootstrap(HOOK, settings).open()) {
            long first = pool.invoke(PID);
            ProcessHandle.of(first).orElseThrow().destroyForcibly();
            assertThat(pool.submit(PID)
                            .handle((pid, failure) -> pid == null ? -1 : pid)
                            .join())
                    .isNotEqualTo(first);
            assertThat(pool.invoke(PID)).isNotEqualTo(first);
        }
        assertThat(Files.readAllLines(Path.of(settings.journal))).containsExactly("0 {a=[1, 2]}", "0 {a=[1, 2]}");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void hook_fails_poolDoesNotOpenAndSaysWhy(Kind kind) {
        assertThatThrownBy(() -> kind.open(kind.builder().bootstrap(BROKEN)).close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED))
                .hasStackTraceContaining("option=bootstrap")
                .hasStackTraceContaining("java.io.IOException: no configuration today");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void hook_notThere_isRefusedByName(Kind kind) {
        Task<Void, Void> missing = Task.named("com.acme.Setup", "run", void.class, void.class);
        assertThatThrownBy(() -> kind.open(kind.builder().bootstrap(missing)).close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND))
                .hasMessageContaining("com.acme.Setup");
    }

    @Test
    void hook_whereTheHostMayRunTasks_isRefused() {
        PoolBuilder builder = Pool.threads(1).queue(1, QueuePolicy.CALLER_RUNS).bootstrap(BROKEN);
        assertThatThrownBy(builder::options)
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION))
                .hasMessageContainingAll("queue=CALLER_RUNS", "bootstrap=");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void argument_tooLarge_isRefusedAtOpen(Kind kind) {
        Settings settings = new Settings("x".repeat(600_000), Map.of());
        assertThatThrownBy(() ->
                        kind.open(kind.builder().bootstrap(HOOK, settings)).close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE));
    }
}

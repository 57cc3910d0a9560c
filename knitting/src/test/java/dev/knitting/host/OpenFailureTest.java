package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.knitting.Doorbells;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** B31, B21: a pool that cannot open says why, soon, and leaves nothing. */
class OpenFailureTest {
    private static final Task<Long, Long> UNKNOWN = Task.named("no.such.Thing", "method", long.class, long.class);
    private final Watch watch = Watch.start();

    @TempDir
    Path directory;

    @AfterEach
    void nothingIsLeft() {
        watch.assertNothingLeft();
    }

    private static PoolBuilder processes() {
        return Pool.processes(2).name("open-failure").jvm(jvm -> jvm.maxHeap("64m"));
    }

    private static KnittingException failureOf(PoolBuilder builder, Task<?, ?>... tasks) {
        KnittingException failure = catchThrowableOfType(
                KnittingException.class, () -> builder.open(tasks).close());
        assertThat(failure).as("open failed").isNotNull();
        return failure;
    }

    @Test
    void open_classThatNobodyHas_namesIt() {
        for (PoolBuilder builder : List.of(
                processes(),
                processes().doorbells(Doorbells.SOCKET).memory(Memory.PORTABLE),
                processes().memory(Memory.NAMED).segmentPerWorker(true),
                Pool.threads(2),
                Pool.threads(2).copyArguments(true).doorbells(Doorbells.SOCKET))) {
            KnittingException failure = failureOf(builder, ContractTasks.INC, UNKNOWN);
            assertThat(failure.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND);
            assertThat(failure).hasMessageContaining("no.such.Thing");
        }
    }

    @Test
    void open_classThatTheWorkerHasNot_namesIt_untilItIsAdded() throws Exception {
        Files.write(directory.resolve("OnlyHere.class"), onlyHere());
        Task<Long, Long> task = Task.named("OnlyHere", "same", long.class, long.class);
        KnittingException failure = failureOf(processes(), task);
        assertThat(failure.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND);
        assertThat(failure).hasMessageContaining("the worker could not start").hasMessageContaining("OnlyHere");
        try (Pool pool = processes().addClassPath(directory).open(task)) {
            assertThat(pool.invoke(task, 7L)).isEqualTo(7L);
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            try (Pool pool = processes().open(task)) {
                assertThat(pool.invoke(task, 8L)).isEqualTo(8L);
            }
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** A class with a static method {@code long same(long)}. */
    private static byte[] onlyHere() {
        return ClassFile.of()
                .build(
                        ClassDesc.of("OnlyHere"),
                        type -> type.withMethodBody(
                                "same",
                                MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_long),
                                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                code -> code.lload(0).lreturn()));
    }

    @Test
    void open_missingClassPathEntry_namesIt() {
        KnittingException failure = failureOf(processes().addClassPath(directory.resolve("no.jar")));
        assertThat(failure.code()).isEqualTo(ErrorCode.BAD_OPTION);
        assertThat(failure).hasMessageContaining("no.jar");
    }

    @Test
    void open_noJavaHome_namesIt() {
        KnittingException failure = failureOf(processes().jvm(jvm -> jvm.javaHome(directory.resolve("no-jdk"))));
        assertThat(failure.code()).isEqualTo(ErrorCode.BAD_OPTION);
        assertThat(failure).hasMessageContaining("jvm.javaHome").hasMessageContaining("no-jdk");
    }

    @Test
    void open_badJvmOption_saysWhatTheJvmSays() {
        KnittingException failure = failureOf(processes().jvm(jvm -> jvm.options("-XX:+NoSuchFlagAtAll")));
        assertThat(failure.code()).isEqualTo(ErrorCode.STARTUP_FAILED);
        assertThat(failure)
                .hasMessageContaining("Unrecognized VM option")
                .hasMessageContaining("NoSuchFlagAtAll")
                .hasMessageContaining("exitCode=1");
    }

    @Test
    void open_prefixThatCannotRun_saysSo() {
        KnittingException failure = failureOf(processes().commandPrefix("no-such-program-anywhere"));
        assertThat(failure.code()).isEqualTo(ErrorCode.STARTUP_FAILED);
        assertThat(failure).hasMessageContaining("no-such-program-anywhere");
    }

    @Test
    void open_workerKilledAtStart_namesTheSignal() {
        KnittingException failure = failureOf(processes().commandPrefix("sh", "-c", "kill -9 $$", "sh"));
        assertThat(failure.code()).isEqualTo(ErrorCode.STARTUP_FAILED);
        assertThat(failure).hasMessageContaining("SIGKILL");
    }

    @Test
    void open_startTimeoutTooShort_namesTheOptionAndKillsTheLateOne() {
        long start = System.nanoTime();
        KnittingException failure = failureOf(processes()
                .commandPrefix("sh", "-c", "sleep 60; exec \"$@\"", "sh")
                .startTimeout(Duration.ofMillis(300)));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        assertThat(failure.code()).isEqualTo(ErrorCode.STARTUP_FAILED);
        assertThat(failure).hasMessageContaining("startTimeout").hasMessageContaining("PT0.3S");
    }

    @Test
    void open_memoryDirectoryMissing_failsByName() {
        KnittingException failure =
                failureOf(processes().memory(Memory.NAMED).memoryDirectory(directory.resolve("none")));
        assertThat(failure).hasMessageContaining("none");
    }

    @Test
    void open_interrupted_keepsTheFlag() {
        Thread.currentThread().interrupt();
        KnittingException failure = failureOf(processes());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure.code()).isEqualTo(ErrorCode.INTERRUPTED);
    }

    /** The worker looks registered types up by name: {@code byte} is none, and stopped it. */
    @Test
    void register_primitiveTypes_theWorkerStarts() {
        try (Pool pool = Pool.processes(1)
                .name("primitive")
                .register(byte.class, int.class, void.class, byte[].class, Long.class)
                .open()) {
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2);
        }
    }
}

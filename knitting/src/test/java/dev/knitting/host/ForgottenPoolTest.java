package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pool that nobody closes and nobody can reach any more. */
class ForgottenPoolTest {
    private final Watch watch = Watch.start();

    @TempDir
    Path directory;

    private Call<String> openAndForget(Isolation isolation) {
        Pool pool = Pool.of(isolation)
                .workers(1)
                .name("forgotten")
                .jvm(jvm -> jvm.maxHeap("64m"))
                .open(CancelTasks.DEAF_UNTIL_FILE);
        assertThat(pool.submit(CancelTasks.SPIN_MICROS, 1L).thenApply(x -> x).join())
                .isEqualTo(1L);
        return pool.submit(
                CancelTasks.DEAF_UNTIL_FILE, directory.resolve("gate").toString());
    }

    private record Awaiting(WeakReference<Pool> pool, Call<Long> call) {}

    private static Awaiting openAndAwait(CompletableFuture<Long> argument) {
        Pool pool = Pool.threads(1).name("awaited").open();
        return new Awaiting(new WeakReference<>(pool), pool.submitWhen(CancelTasks.SPIN_MICROS, argument));
    }

    /** Closing a pool fails calls without their argument: one that somebody still waits for must not be forgotten. */
    @Test
    void pool_callAwaitsItsArgument_isNotForgotten() throws Exception {
        CompletableFuture<Long> argument = new CompletableFuture<>();
        Awaiting awaiting = openAndAwait(argument);
        for (int i = 0; i < 3; i++) {
            System.gc();
            assertThat(awaiting.pool.get()).isNotNull();
        }
        argument.complete(5L);
        assertThat(awaiting.call.get(30, TimeUnit.SECONDS)).isEqualTo(5L);
        Pool pool = awaiting.pool.get();
        if (pool != null) {
            pool.close();
        }
    }

    private static boolean isThereThread(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith(prefix));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void pool_unreachable_finishesItsCallsAndEnds(Isolation isolation) throws Exception {
        Call<String> call = openAndForget(isolation);
        Watch.await("the pool to be missed", Duration.ofSeconds(30), () -> {
            System.gc();
            return isThereThread("knitting-forgotten-forgotten");
        });
        assertThat(call).as("a call is held by whoever has it").isNotDone();
        Files.createFile(directory.resolve("gate"));
        assertThat(call.get(30, TimeUnit.SECONDS))
                .isEqualTo(directory.resolve("gate").toString());
        watch.assertNothingLeft();
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Discipline;
import dev.knitting.Pool;
import dev.knitting.Stealing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * 64 virtual and 16 platform threads call one pool of two worker processes for a second ({@code -Dknitting.stressSeconds=30}
 * for longer): each result is the right one, and each caller gets all of its own.
 */
class ManyCallersTest {
    private static final int VIRTUAL = 64;
    private static final int PLATFORM = 16;
    private static final long SECONDS = Long.getLong("knitting.stressSeconds", 1);

    @ParameterizedTest
    @CsvSource({"OFF, TICKET", "ON, TICKET", "ON, DEKKER"})
    void virtualAndPlatformThreads_everyResultIsRight_noneIsLost(Stealing stealing, Discipline discipline)
            throws Exception {
        try (Pool pool = Pool.processes(2)
                .tuning(tuning -> tuning.stealing(stealing).discipline(discipline))
                .open(ContractTasks.INC)) {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            List<FutureTask<Long>> callers = new ArrayList<>();
            for (int i = 0; i < VIRTUAL + PLATFORM; i++) {
                long first = i * 1_000_000_007L;
                FutureTask<Long> caller = new FutureTask<>(() -> callUntil(pool, first, until));
                callers.add(caller);
                if (i < VIRTUAL) {
                    Thread.ofVirtual().start(caller);
                } else {
                    Thread.ofPlatform().daemon().start(caller);
                }
            }
            long calls = 0;
            for (FutureTask<Long> caller : callers) {
                calls += callsOf(caller);
            }
            System.out.printf("%s %s: %,d calls in %d s%n", stealing, discipline, calls, SECONDS);
            assertThat(calls).isGreaterThan(VIRTUAL + PLATFORM);
        }
    }

    private static long callsOf(FutureTask<Long> caller)
            throws InterruptedException, ExecutionException, TimeoutException {
        return caller.get(SECONDS + 60, TimeUnit.SECONDS);
    }

    private static long callUntil(Pool pool, long first, long until) {
        long number = first;
        do {
            long result = number % 2 == 0
                    ? pool.invoke(ContractTasks.INC, number)
                    : pool.submit(ContractTasks.INC, number).join();
            if (result != number + 1) {
                throw new AssertionError("expected=" + (number + 1) + ", actual=" + result);
            }
            number++;
        } while (System.nanoTime() - until < 0);
        return number - first;
    }
}

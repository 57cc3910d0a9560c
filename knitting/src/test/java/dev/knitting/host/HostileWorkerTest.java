package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Stealing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A worker process that writes over everything that it maps, while callers go on. The host must not crash, must settle
 * every call in bounded time, must not allocate without bound, and must close in bounded time. With a segment for each
 * worker, no call that another worker was given may get a wrong answer.
 *
 * <p>{@code -Dhostile.seconds=60 -Dhostile.seed=7} makes it longer, or another run.
 */
class HostileWorkerTest {
    private static final int CALLERS = 4;
    private static final int CAP = 1 << 20;
    private static final Duration HARD = Duration.ofMillis(400);
    /** A call may wait for a worker that starts twice, on a loaded machine, before its time begins to run. */
    private static final long LONGEST_SECONDS = 40;

    /** Of a hostile worker before another one turns hostile too. */
    private static final long MOST_LIFE_NANOS = 1_500_000_000L;

    private static final int SECONDS = Integer.getInteger("hostile.seconds", 3);
    private static final long SEED = Long.getLong("hostile.seed", 1);

    /** Threads of the host that an exception ended. */
    private final Queue<Throwable> loose = new ConcurrentLinkedQueue<>();

    private Thread.UncaughtExceptionHandler before;

    @BeforeEach
    void watchThreads() {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> loose.add(new AssertionError(thread.getName(), e)));
    }

    @AfterEach
    void restore() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    private static PoolBuilder pool(boolean separate) {
        return Pool.processes(2)
                .name("hostile")
                .segmentPerWorker(separate)
                .tuning(tuning -> tuning.stealing(Stealing.OFF)) // each call is known to be with one worker
                .jvm(jvm -> jvm.maxHeap("64m").options("-XX:-CreateCoredumpOnCrash", "-XX:+SuppressFatalErrorMessage"))
                .payload(payload -> payload.maxBytes(CAP).ceilingBytes(2 * CAP).buffersBytes(2 * CAP))
                .startTimeout(Duration.ofSeconds(10))
                .hardTimeout(HARD)
                .output((name, worker, line) -> {});
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void scribble_whileCallersGoOn_everyCallSettlesAndTheHostLives(boolean separate) throws Exception {
        Watch watch = Watch.start();
        Run run = new Run(separate);
        Pool pool = pool(separate).open(ContractTasks.INC, ContractTasks.ECHO_BYTES, HostileTasks.SCRIBBLE);
        try {
            run.with(pool);
            long closing = System.nanoTime();
            pool.shutdownNow();
            pool.close();
            assertThat(System.nanoTime() - closing).as("closing is bounded").isLessThan(TimeUnit.SECONDS.toNanos(15));
        } finally {
            pool.close();
        }
        System.out.println("hostile: separate=" + separate + " " + run);
        assertThat(loose).as("threads of the host that died").isEmpty();
        assertThat(run.unsettled).isEmpty();
        assertThat(run.odd).isEmpty();
        assertThat(run.wrongOfOthers())
                .as("wrong answers of workers that are not hostile")
                .isEmpty();
        watch.assertNothingLeft();
    }

    /** The next worker in a place reads nothing that the last one left there, and nobody believes what it left. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void forge_thenDie_theNextWorkerServes(boolean separate) throws Exception {
        try (Pool pool = Pool.processes(1)
                .name("forged")
                .segmentPerWorker(separate)
                .jvm(jvm -> jvm.maxHeap("64m"))
                .startTimeout(Duration.ofSeconds(30))
                .open(ContractTasks.INC, HostileTasks.FORGE)) {
            for (String attack : List.of("config", "taskTable", "header", "submitStart", "ahead")) {
                pool.submit(HostileTasks.FORGE, attack).get(LONGEST_SECONDS, TimeUnit.SECONDS);
            }
            assertThat(pool.submit(DeathTasks.HALT, 7).handle((result, failure) -> failure.getMessage()))
                    .succeedsWithin(Duration.ofSeconds(LONGEST_SECONDS))
                    .asString()
                    .contains("exitCode=7");
            for (long i = 0; i < 100; i++) {
                assertThat(pool.submit(ContractTasks.INC, i).get(LONGEST_SECONDS, TimeUnit.SECONDS))
                        .isEqualTo(i + 1);
            }
        }
    }

    /** Whoever takes all results before a kill, or after a death, must not do so for as long as there are more. */
    @Test
    void publishForEver_underAHardTimeout_isKilled() throws Exception {
        try (Pool pool = Pool.processes(1)
                .name("endless")
                .jvm(jvm -> jvm.maxHeap("64m"))
                .hardTimeout(Duration.ofMillis(500))
                .open(ContractTasks.INC, HostileTasks.FORGE)) {
            assertThat(pool.submit(HostileTasks.FORGE, "endlessResults").handle((result, failure) -> "settled"))
                    .as("its own answer may be overwritten, and then it is killed for it")
                    .succeedsWithin(Duration.ofSeconds(LONGEST_SECONDS));
            Call<Long> lost = pool.submit(ContractTasks.SPIN_MILLIS, 60_000L);
            assertThat(lost.handle((result, failure) -> ((KnittingException) failure).code()))
                    .succeedsWithin(Duration.ofSeconds(LONGEST_SECONDS))
                    .isEqualTo(ErrorCode.HARD_TIMEOUT);
        }
    }

    /** Callers, and somebody who turns workers hostile. */
    private final class Run {
        final boolean separate;
        final Set<Lane> hostile = ConcurrentHashMap.newKeySet();
        final Queue<String> unsettled = new ConcurrentLinkedQueue<>();
        final Queue<String> odd = new ConcurrentLinkedQueue<>();
        /** Wrong answers by lane: which lanes are hostile is known for certain only in the end. */
        final Queue<Map.Entry<String, Optional<Lane>>> wrong = new ConcurrentLinkedQueue<>();

        final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

        Run(boolean separate) {
            this.separate = separate;
        }

        void with(Pool pool) throws InterruptedException {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            List<Thread> threads = new ArrayList<>();
            threads.add(Thread.ofPlatform().daemon().start(() -> turnHostile(pool, until)));
            for (int i = 0; i < CALLERS; i++) {
                SplittableRandom random = new SplittableRandom(SEED * 1000 + i);
                threads.add(Thread.ofPlatform().daemon().start(() -> {
                    while (System.nanoTime() - until < 0 && unsettled.isEmpty()) {
                        one(pool, random);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(SECONDS + 2 * LONGEST_SECONDS));
                assertThat(thread.isAlive())
                        .as("%s hangs at %s", thread, Arrays.asList(thread.getStackTrace()))
                        .isFalse();
            }
        }

        private void turnHostile(Pool pool, long until) {
            long seed = SEED;
            while (System.nanoTime() - until < 0) {
                Call<Long> call = pool.submit(HostileTasks.SCRIBBLE, seed++);
                // Before its answer is looked at: whatever lane it is given is hostile from then on.
                settle(call, seed - 1, true);
                long patience = System.nanoTime() + MOST_LIFE_NANOS;
                Lane lane = laneOf(call);
                while (lane != null && lane.isOpen() && System.nanoTime() - patience < 0) {
                    LockSupport.parkNanos(10_000_000); // one at a time, mostly: the others are to answer meanwhile
                }
            }
        }

        private void one(Pool pool, SplittableRandom random) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    long value = random.nextLong();
                    settle(pool.submit(ContractTasks.INC, value), value + 1, false);
                }
                case 1 -> {
                    String text = "x".repeat(random.nextInt(40, 400)) + random.nextLong();
                    settle(pool.submit(ContractTasks.ECHO_TEXT, text), text, false);
                }
                case 2 -> {
                    byte[] bytes = new byte[random.nextInt(600, 60_000)];
                    random.nextBytes(bytes);
                    settle(pool.submit(ContractTasks.ECHO_BYTES, bytes), bytes, false);
                }
                default -> {
                    try {
                        pool.invoke(ContractTasks.INC, 1L);
                        count("invoked");
                    } catch (KnittingException e) {
                        count("invoke " + e.code());
                    } catch (Throwable e) {
                        odd.add("invoke: " + e + " at " + Arrays.asList(e.getStackTrace()));
                    }
                }
            }
        }

        private void settle(Call<?> call, Object expected, boolean turns) {
            try {
                Object result = call.get(LONGEST_SECONDS, TimeUnit.SECONDS);
                if (turns) {
                    turned(call);
                }
                if (isEqual(result, expected)) {
                    count("right");
                } else {
                    count("forged");
                    wrong.add(Map.entry(
                            describe(result) + " instead of " + describe(expected), Optional.ofNullable(laneOf(call))));
                    if (result != null && result.getClass() != expected.getClass()) {
                        odd.add("type of a result: " + describe(result) + " instead of " + describe(expected));
                    }
                }
            } catch (ExecutionException e) {
                if (turns) {
                    turned(call);
                }
                if (e.getCause() instanceof KnittingException failure) {
                    count(failure.code().name());
                } else {
                    odd.add(e.getCause() + " at " + Arrays.asList(e.getCause().getStackTrace()));
                }
            } catch (TimeoutException e) {
                unsettled.add(call + " " + threadDump());
            } catch (CancellationException | InterruptedException e) {
                odd.add(e.toString());
            }
        }

        List<String> wrongOfOthers() {
            return wrong.stream()
                    .filter(each ->
                            separate && !each.getValue().map(hostile::contains).orElse(false))
                    .map(Map.Entry::getKey)
                    .toList();
        }

        private void turned(Call<?> call) {
            Lane lane = laneOf(call);
            if (lane != null) {
                hostile.add(lane);
            }
        }

        private Lane laneOf(Call<?> call) {
            CallDeadlines deadlines = ((HostCall<?>) call).deadlines;
            return deadlines == null ? null : deadlines.lane();
        }

        private void count(String what) {
            counts.computeIfAbsent(what, key -> new AtomicInteger()).incrementAndGet();
        }

        @Override
        public String toString() {
            return "hostile workers=" + hostile.size() + " " + counts;
        }
    }

    private static boolean isEqual(Object a, Object b) {
        return a instanceof byte[] x && b instanceof byte[] y ? Arrays.equals(x, y) : b.equals(a);
    }

    private static String describe(Object value) {
        String text = value instanceof byte[] bytes ? "byte[" + bytes.length + "]" : value + "";
        return (value == null ? "" : value.getClass().getSimpleName() + " ")
                + text.substring(0, Math.min(60, text.length()));
    }

    private static String threadDump() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().startsWith("knitting")) {
                text.append('\n').append(thread.getName()).append(' ').append(Arrays.asList(stack));
            }
        });
        return text.toString();
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Call;
import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random races of cancelling, completing, aborting and timeouts with the work: each call gets exactly one terminal state, and what
 * is reported of it is what happened. 10^5 of them in all; {@code -Dknitting.races=1000000} for more.
 */
class CancelRaceTest {
    private static final int RACES = Integer.getInteger("knitting.races", 100_000) / Isolation.values().length;
    private static final int CALLERS = 4;
    private static final int WINDOW = 32;

    private enum Action {
        CANCEL_TRUE,
        CANCEL_FALSE,
        COMPLETE,
        FAIL,
        ABORT,
        /** By the pool: the call has a timeout of some microseconds from its submission. */
        TIMEOUT,
        NOTHING
    }

    /** One call, what was done to it, and what that said. */
    private record Race(Call<Integer> call, int index, Action action, AtomicInteger settled) {}

    @TempDir
    Path directory;

    private MappedByteBuffer trace;
    private String tracePath;

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void races_manyCallers_oneTerminalStateAndTheTruth(Isolation isolation) throws Exception {
        Path file = directory.resolve("trace-" + isolation);
        Files.write(file, new byte[RACES + 1]);
        tracePath = file.toString();
        trace = RaceTasks.map(tracePath);
        Map<Ended, AtomicInteger> ends = new EnumMap<>(Ended.class);
        for (Ended each : Ended.values()) {
            ends.put(each, new AtomicInteger());
        }
        AtomicInteger next = new AtomicInteger();
        try (Pool pool = Pool.of(isolation)
                        .workers(2)
                        .jvm(jvm -> jvm.maxHeap("128m"))
                        .open(RaceTasks.RUN);
                ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<Future<?>> done = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                SplittableRandom random = new SplittableRandom(caller);
                done.add(callers.submit(() -> raceOn(pool, next, random, ends)));
            }
            for (Future<?> each : done) {
                each.get();
            }
        }
        assertThat(ends.get(Ended.LOST)).hasValue(0);
        assertThat(ends.get(Ended.KILLED)).hasValue(0);
        for (Ended usual : List.of(Ended.NEVER_RAN, Ended.RETURNED, Ended.STOPPED)) {
            assertThat(ends.get(usual))
                    .as("%s occurs, else the races are no races", usual)
                    .hasPositiveValue();
        }
        System.out.printf("%d races on %s: %s%n", RACES, isolation, ends);
    }

    private Void raceOn(Pool pool, AtomicInteger next, SplittableRandom random, Map<Ended, AtomicInteger> ends)
            throws Exception {
        List<Race> window = new ArrayList<>();
        while (true) {
            window.clear();
            for (int i = 0; i < WINDOW; i++) {
                int index = next.getAndIncrement();
                if (index >= RACES) {
                    break;
                }
                boolean listens = random.nextInt(3) == 0;
                int micros = random.nextInt(4) == 0 ? random.nextInt(300) : 0;
                Action action = Action.values()[random.nextInt(Action.values().length)];
                Task<RaceTasks.Job, Integer> task = action == Action.TIMEOUT
                        ? RaceTasks.RUN.timeout(Duration.ofNanos(random.nextInt(4_000_000)))
                        : RaceTasks.RUN;
                Call<Integer> call = pool.submit(task, new RaceTasks.Job(tracePath, index, micros, listens));
                AtomicInteger settled = new AtomicInteger();
                call.whenComplete((value, failure) -> settled.incrementAndGet());
                window.add(new Race(call, index, action, settled));
                if (random.nextBoolean()) {
                    act(window.get(random.nextInt(window.size()))); // perhaps twice on the same call
                }
            }
            if (window.isEmpty()) {
                return null;
            }
            window.forEach(CancelRaceTest::act);
            for (Race race : window) {
                check(race, ends);
            }
        }
    }

    private static void act(Race race) {
        Call<Integer> call = race.call;
        switch (race.action) {
            case CANCEL_TRUE -> assertThat(call.cancel(true)).isEqualTo(call.isCancelled());
            case CANCEL_FALSE -> assertThat(call.cancel(false)).isEqualTo(call.isCancelled());
            case COMPLETE -> {
                if (call.complete(-1)) {
                    assertThat(call.resultNow()).isEqualTo(-1);
                }
            }
            case FAIL -> {
                if (call.completeExceptionally(new IllegalStateException("outside"))) {
                    assertThat(call.exceptionNow()).isInstanceOf(IllegalStateException.class);
                }
            }
            case ABORT -> call.abort("race");
            case TIMEOUT, NOTHING -> {
                return;
            }
        }
        if (race.action != Action.ABORT) {
            assertThat(call).isDone();
        }
    }

    private void check(Race race, Map<Ended, AtomicInteger> ends) throws Exception {
        String outcome = outcome(race);
        Ended ended = race.call.ended().get(60, TimeUnit.SECONDS);
        ends.get(ended).incrementAndGet();
        int seen = trace.get(race.index);
        String what = "call=%d, action=%s, outcome=%s, ended=%s, trace=%x"
                .formatted(race.index, race.action, outcome, ended, seen);
        assertThat(seen & RaceTasks.FOREIGN_INTERRUPT).as(what).isZero();
        boolean isResult = outcome.equals("result " + race.index);
        switch (ended) {
            case NEVER_RAN -> {
                assertThat(seen).as(what).isZero();
                assertThat(isResult).as(what).isFalse();
            }
            case RETURNED, STOPPED -> {
                assertThat(seen & RaceTasks.ENTERED).as(what).isEqualTo(1);
                assertThat(seen & RaceTasks.LEFT).as(what).isNotZero();
                if ((seen & RaceTasks.LEARNED) != 0) {
                    assertThat(ended).as(what).isEqualTo(Ended.STOPPED);
                }
            }
            default -> throw new AssertionError(what);
        }
        switch (race.action) {
            case NOTHING -> {
                assertThat(isResult).as(what).isTrue();
                assertThat(ended).as(what).isEqualTo(Ended.RETURNED);
            }
            case ABORT -> assertThat(isResult).as(what).isTrue();
            case CANCEL_TRUE, CANCEL_FALSE ->
                assertThat(isResult || outcome.equals("cancelled")).as(what).isTrue();
            case TIMEOUT ->
                assertThat(isResult || outcome.equals("timed out")).as(what).isTrue();
            case COMPLETE ->
                assertThat(isResult || outcome.equals("result -1")).as(what).isTrue();
            case FAIL ->
                assertThat(isResult || outcome.equals("failed from outside"))
                        .as(what)
                        .isTrue();
        }
        if (isResult) {
            assertThat(ended).as(what).isIn(Ended.RETURNED, Ended.STOPPED);
        }
        Watch.await("the callback of " + what, () -> race.settled.get() > 0);
        assertThat(race.settled).as(what).hasValue(1);
        assertThat(outcome(race)).as("for good: " + what).isEqualTo(outcome);
    }

    private static String outcome(Race race) {
        try {
            return "result " + race.call.join();
        } catch (CancellationException e) {
            return "cancelled";
        } catch (CompletionException e) {
            if (e.getCause() instanceof KnittingException known && known.code() == ErrorCode.TIMEOUT) {
                return "timed out";
            }
            return e.getCause() instanceof IllegalStateException ? "failed from outside" : String.valueOf(e.getCause());
        }
    }
}

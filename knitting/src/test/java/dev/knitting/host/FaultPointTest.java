package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.TaskFailedException;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A worker that is killed at each named point, with each kind of call: what ran is reported, the rest runs. */
class FaultPointTest {
    private static final int CALLS = 12;
    /** Points at which a worker runs no call, but may have one that is answered later. */
    private static final Set<FaultPoint> MAY_FIND_A_STAGE_OPEN =
            EnumSet.of(FaultPoint.RESULT_PUBLISHED, FaultPoint.WORKER_ARMED, FaultPoint.WORKER_WOKEN);

    private static final int DEATHS = 2;

    /** What crosses: each takes another way through mailbox and codec. */
    enum Kind {
        WORD,
        INLINE,
        ARENA,
        LAMBDA,
        THROWING,
        /** Answered twice: that it has begun, and with its result. */
        ASYNC,
        SERVICE;

        Future<?> submit(Pool pool, int i) {
            return switch (this) {
                case WORD -> pool.submit(FaultTasks.INC, (long) i);
                case INLINE -> pool.submit(FaultTasks.ECHO, "a text too long for the words of a slot, number " + i);
                case ARENA -> pool.submit(FaultTasks.REVERSE, bytes(i));
                case LAMBDA -> pool.submit(() -> FaultTasks.add(i, 1_000_000L));
                case THROWING -> pool.submit(FaultTasks.FAIL, "number " + i);
                case ASYNC -> pool.submit(FaultTasks.LATER, (long) i);
                case SERVICE -> {
                    FaultTasks.Adder adder = pool.service(FaultTasks.Adder.class);
                    yield CompletableFuture.supplyAsync(() -> adder.add(i, 1_000_000L));
                }
            };
        }

        void check(Future<?> call, int i) throws Exception {
            switch (this) {
                case WORD, ASYNC -> assertThat(call.get()).isEqualTo(i + 1L);
                case INLINE -> assertThat(call.get()).isEqualTo("a text too long for the words of a slot, number " + i);
                case ARENA -> assertThat((byte[]) call.get()).isEqualTo(FaultTasks.reverse(bytes(i)));
                case LAMBDA, SERVICE -> assertThat(call.get()).isEqualTo(i + 1_000_000L);
                case THROWING ->
                    assertThatThrownBy(call::get)
                            .cause()
                            .isInstanceOf(TaskFailedException.class)
                            .hasMessageContaining("number " + i);
            }
        }

        private static byte[] bytes(int i) {
            byte[] bytes = new byte[5_000];
            bytes[0] = (byte) i;
            return bytes;
        }
    }

    static List<Arguments> pointsOfACall() {
        List<Arguments> all = new ArrayList<>();
        for (FaultPoint point : FaultPoint.values()) {
            for (Kind kind : Kind.values()) {
                if (isPassed(point, kind)) {
                    all.add(Arguments.of(point, kind));
                }
            }
        }
        return all;
    }

    private static boolean isPassed(FaultPoint point, Kind kind) {
        return switch (point) {
            case CALL_RAN -> kind != Kind.THROWING;
            case RESULT_SPAN_WRITTEN -> kind == Kind.ARENA;
            case WORKER_ATTACHED, WORKER_READY, WORKER_STOPPING -> false; // below
            default -> point.isWorkers();
        };
    }

    @ParameterizedTest
    @MethodSource("pointsOfACall")
    void kill_atPoint_costsAtMostTheCallThatRan(FaultPoint point, Kind kind) throws Exception {
        Watch watch = Watch.start();
        int crashed = 0;
        try (Pool pool = Pool.processes(1)
                .name("faults")
                .service(FaultTasks.Adder.class, FaultTasks.Sum.class.getName())
                .jvm(jvm -> jvm.maxHeap("64m").options("-D" + Faults.PROPERTY + "=" + point + ":KILL:3:1:" + DEATHS))
                .open()) {
            long first = pidOf(pool);
            for (int i = 0; i < CALLS; i++) {
                Future<?> call = kind.submit(pool, i);
                KnittingException lost = crashOf(call);
                if (lost == null) {
                    kind.check(call, i);
                } else {
                    assertThat(lost).hasMessageContaining("SIGKILL");
                    crashed++;
                }
            }
            awaitDeath(first);
        }
        if (kind == Kind.ASYNC && MAY_FIND_A_STAGE_OPEN.contains(point)) {
            // Whether a call is lost depends on its stage's timer. Published is the answer, or that the call has begun;
            // and an idle worker may have a begun call.
            assertThat(crashed).isBetween(0, DEATHS);
        } else {
            assertThat(crashed).isEqualTo(point.isRunning() ? DEATHS : 0);
        }
        watch.assertNothingLeft();
    }

    private static long pidOf(Pool pool) {
        return pool.invoke(FaultTasks.PID);
    }

    private static KnittingException crashOf(Future<?> call) throws Exception {
        try {
            call.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KnittingException failure && failure.code() == ErrorCode.WORKER_CRASHED) {
                return failure;
            }
        }
        return null;
    }

    /** The fault has happened, and was not merely not noticed. Points of an idle worker are reached without calls. */
    private static void awaitDeath(long pid) throws Exception {
        ProcessHandle.of(pid).ifPresent(worker -> assertThat(worker.onExit()).succeedsWithin(60, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @MethodSource("pointsOfAStart")
    void kill_whileItStarts_openFailsWithTheReason(FaultPoint point) throws Exception {
        Watch watch = Watch.start();
        assertThatThrownBy(() -> Pool.processes(1)
                        .name("faults")
                        .jvm(jvm -> jvm.options("-D" + Faults.PROPERTY + "=" + point + ":KILL:1:1:100"))
                        .open()
                        .close())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED))
                .hasMessageContaining("SIGKILL");
        watch.assertNothingLeft();
    }

    static List<FaultPoint> pointsOfAStart() {
        return List.of(FaultPoint.WORKER_ATTACHED, FaultPoint.WORKER_READY);
    }

    @Test
    void kill_whileItStops_closeReturnsAndNothingIsLost() throws Exception {
        Watch watch = Watch.start();
        Call<Long> last;
        try (Pool pool = Pool.processes(1)
                .name("faults")
                .jvm(jvm -> jvm.options("-D" + Faults.PROPERTY + "=WORKER_STOPPING:KILL:1:1:1"))
                .open()) {
            last = pool.submit(FaultTasks.INC, 1L);
        }
        assertThat(last.get(10, TimeUnit.SECONDS)).isEqualTo(2);
        watch.assertNothingLeft();
    }
}

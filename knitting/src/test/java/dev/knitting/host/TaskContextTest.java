package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.Progress;
import dev.knitting.TaskContext;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a task can ask about its call, and say to its caller. Cancelling is {@link CancelTest}'s. */
class TaskContextTest {
    @Test
    void current_outsideAWorker_isNeverCancelled() {
        TaskContext context = TaskContext.current();
        assertThat(TaskContext.inWorker()).isFalse();
        assertThat(context.workerId()).isEqualTo(-1);
        assertThat(context.cancelled()).isFalse();
        assertThatNoException().isThrownBy(context::throwIfCancelled);
        assertThat(context.remaining()).isEqualTo(ChronoUnit.FOREVER.getDuration());
        assertThatNoException().isThrownBy(() -> context.progress(1, 2, "nobody listens"));
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void remaining_noDeadline_isForever(Isolation isolation) {
        try (Pool pool = Pool.of(isolation).open()) {
            assertThat(pool.invoke(CancelTasks.REMAINING)).isEqualTo(ChronoUnit.FOREVER.getDuration());
        }
    }

    /** A deadline is one of the host's clock; it travels with its call, and with no other that uses the same slot. */
    @ParameterizedTest
    @EnumSource(Isolation.class)
    void remaining_deadline_countsDown(Isolation isolation) throws Exception {
        try (DefaultPool pool = (DefaultPool) Pool.of(isolation).open(CancelTasks.REMAINING)) {
            for (int i = 0; i < 150; i++) {
                HostCall<Duration> call = pool.prepared(CancelTasks.REMAINING, null);
                if (i % 2 == 0) {
                    call.hasDeadline = true;
                    call.deadlineNanos = System.nanoTime() + (i % 4 == 0 ? TimeUnit.HOURS.toNanos(1) : -1);
                }
                Duration remaining =
                        pool.dispatch(call, dev.knitting.TaskOptions.NONE).get(30, TimeUnit.SECONDS);
                switch (i % 4) {
                    case 0 -> assertThat(remaining).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
                    case 2 -> assertThat(remaining).isZero();
                    default -> assertThat(remaining).isEqualTo(ChronoUnit.FOREVER.getDuration());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void progress_tightLoop_arrivesInOrderAndTheLastOneForSure(Isolation isolation) throws Exception {
        try (Pool pool = Pool.of(isolation).open(CancelTasks.REPORT)) {
            for (int round = 0; round < 20; round++) {
                ConcurrentLinkedQueue<Progress> seen = new ConcurrentLinkedQueue<>();
                CountDownLatch last = new CountDownLatch(1);
                Call<Integer> call = pool.submit(CancelTasks.REPORT, 10_000).onProgress(report -> {
                    seen.add(report);
                    if (report.done() == 10_000) {
                        last.countDown();
                    }
                });
                assertThat(call.join()).isEqualTo(10_000);
                assertThat(last.await(30, TimeUnit.SECONDS)).isTrue();
                List<Long> done = seen.stream().map(Progress::done).toList();
                assertThat(done).isSorted().doesNotHaveDuplicates();
                assertThat(seen).allMatch(report -> report.total() == 10_000 && report.note() == null);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void progress_note_arrivesCutToWhatFits(Isolation isolation) throws Exception {
        try (Pool pool = Pool.of(isolation).open(CancelTasks.REPORT_NOTE)) {
            for (String note : List.of("", "page 3 of 7", "ü€😀", "x".repeat(512), "ä".repeat(400))) {
                Call<String> call = pool.submit(CancelTasks.REPORT_NOTE, note);
                call.join();
                ConcurrentLinkedQueue<Progress> seen = new ConcurrentLinkedQueue<>();
                call.onProgress(seen::add); // later: the latest report is repeated
                Watch.await("the report", () -> !seen.isEmpty());
                String arrived = note.length() == 400 ? "ä".repeat(256) : note;
                assertThat(seen).containsExactly(new Progress(-1, Long.MAX_VALUE, arrived));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void progress_otherThreadOfTheTask_lastReportArrives(Isolation isolation) {
        try (Pool pool = Pool.of(isolation).open(CancelTasks.REPORT_FROM_OTHER_THREAD)) {
            ConcurrentLinkedQueue<Progress> seen = new ConcurrentLinkedQueue<>();
            Call<Long> call =
                    pool.submit(CancelTasks.REPORT_FROM_OTHER_THREAD, 50).onProgress(seen::add);
            call.join();
            Watch.await("the report", () -> seen.contains(new Progress(50, 50, "other")));
        }
    }

    @Test
    void progress_listenerThrows_othersAndTheCallGoOn() {
        try (Pool pool = Pool.threads(1).open()) {
            ConcurrentLinkedQueue<Progress> seen = new ConcurrentLinkedQueue<>();
            Call<Integer> call = pool.submit(CancelTasks.REPORT, 5)
                    .onProgress(report -> {
                        throw new IllegalStateException("on purpose");
                    })
                    .onProgress(seen::add);
            assertThat(call.join()).isEqualTo(5);
            Watch.await("the last report", () -> seen.contains(new Progress(5, 5, null)));
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void progress_manyCallsAtOnce_eachHearsItsOwn(Isolation isolation) {
        try (Pool pool = Pool.of(isolation).workers(2).open(CancelTasks.REPORT)) {
            List<ConcurrentLinkedQueue<Progress>> seen = new java.util.ArrayList<>();
            List<Call<Integer>> calls = new java.util.ArrayList<>();
            for (int i = 1; i <= 300; i++) {
                ConcurrentLinkedQueue<Progress> own = new ConcurrentLinkedQueue<>();
                seen.add(own);
                calls.add(pool.submit(CancelTasks.REPORT, i).onProgress(own::add));
            }
            for (int i = 1; i <= 300; i++) {
                int steps = i;
                assertThat(calls.get(i - 1).join()).isEqualTo(steps);
                ConcurrentLinkedQueue<Progress> own = seen.get(i - 1);
                Watch.await("call " + i, () -> own.contains(new Progress(steps, steps, null)));
                assertThat(own).allMatch(report -> report.total() == steps);
            }
        }
    }
}

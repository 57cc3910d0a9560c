package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Gatherers;
import java.util.stream.LongStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Callers that are virtual threads: they park, and hold up no carrier. */
class VirtualThreadTest {
    private static final int CALLERS = 200;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void invoke_manyVirtualThreads_parkAndPinNothing(Isolation isolation) throws Exception {
        Path file = directory.resolve("pinned.jfr");
        try (Pool pool = Pool.of(isolation).workers(2).open(ContractTasks.SPIN_MILLIS);
                Recording recording = new Recording();
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ofMillis(1))
                    .withStackTrace();
            recording.start();
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                results.add(callers.submit(() -> pool.invoke(ContractTasks.SPIN_MILLIS, 2L)));
            }
            for (Future<Long> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(2);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("dev.knitting.Park"))
                .as("callers that parked")
                .isNotEmpty();
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("jdk.VirtualThreadPinned")
                        && String.valueOf(event.getStackTrace()).contains("dev.knitting")
                        && !isOfTheRecorder(event))
                .isEmpty();
    }

    /** The flight recorder's own locks may pin a thread that writes one of our events. */
    private static boolean isOfTheRecorder(RecordedEvent event) {
        return event.getStackTrace() != null
                && event.getStackTrace().getFrames().stream()
                        .limit(1)
                        .anyMatch(frame -> frame.getMethod().getType().getName().startsWith("jdk.jfr."));
    }

    @ParameterizedTest
    @EnumSource
    void gather_mapConcurrent_givesResultsInOrder(Isolation isolation) {
        try (Pool pool = Pool.of(isolation).workers(2).open()) {
            List<Long> results = LongStream.range(0, 500)
                    .boxed()
                    .gather(Gatherers.mapConcurrent(16, value -> pool.invoke(ContractTasks.INC, value)))
                    .toList();
            assertThat(results).isEqualTo(LongStream.rangeClosed(1, 500).boxed().toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void invoke_interruptedVirtualThread_cancelsTheCall(Isolation isolation) throws Exception {
        try (Pool pool = Pool.of(isolation).workers(1).open();
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Long> waiting = callers.submit(() -> pool.invoke(ContractTasks.SPIN_MILLIS, 60_000L));
            Future<?> failed = callers.submit(() -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> pool.invoke(ContractTasks.SPIN_MILLIS, 60_000L))
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERRUPTED));
                assertThat(Thread.interrupted()).isTrue();
            });
            failed.get(60, TimeUnit.SECONDS);
            waiting.cancel(true); // interrupts the virtual thread, which cancels the call
            assertThat(pool.invoke(ContractTasks.INC, 1L))
                    .as("the worker is free")
                    .isEqualTo(2);
        }
    }
}

package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the flight recorder gets to know of a pool. */
class FlightEventsTest {
    private static final String INC = "dev.knitting.host.ContractTasks::inc(J)J";

    @TempDir
    Path directory;

    private interface Work {
        void with(Pool pool) throws Exception;
    }

    /** Events of one pool, from before its opening until after its closing. */
    private List<RecordedEvent> record(String pool, boolean calls, PoolBuilder builder, Work work) throws Exception {
        Path file = directory.resolve(pool + ".jfr");
        try (Recording recording = new Recording()) {
            for (String event : List.of("Call", "WorkerStart", "WorkerEnd", "QueueWait", "Park")) {
                recording.enable("dev.knitting." + event).withThreshold(Duration.ZERO);
            }
            if (!calls) {
                recording.disable("dev.knitting.Call");
            }
            recording.start();
            try (Pool opened = builder.name(pool).jvm(jvm -> jvm.maxHeap("64m")).open(ContractTasks.INC)) {
                work.with(opened);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> found = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().startsWith("dev.knitting.") && pool.equals(event.getString("pool"))) {
                found.add(event);
            }
        }
        return found;
    }

    /** In order of time: the file holds the events of each thread together. */
    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("dev.knitting." + name))
                .sorted(java.util.Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void call_settled_tellsTaskWorkerTimesAndOutcome(Isolation isolation) throws Exception {
        List<RecordedEvent> events =
                record("jfr-calls", true, Pool.of(isolation).workers(1).tuning(t -> t.measureEachCall(true)), pool -> {
                    assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2L);
                    assertThat(pool.submit(ContractTasks.SPIN_MILLIS, 50L).join())
                            .isEqualTo(50L);
                    assertThatThrownBy(
                                    () -> pool.submit(ContractTasks.FAIL, "no").join())
                            .isInstanceOf(CompletionException.class);
                    Call<Long> running = pool.submit(ContractTasks.SPIN_MILLIS, 60_000L);
                    assertThat(running.cancel(true)).isTrue();
                });
        List<RecordedEvent> calls = named(events, "Call");
        assertThat(calls)
                .extracting(event -> event.getString("outcome"))
                .containsExactly("OK", "OK", "TASK_FAILED", "CANCELLED");
        assertThat(calls.get(0).getString("task")).isEqualTo(INC);
        assertThat(calls.get(0).getInt("worker")).isZero();
        RecordedEvent slow = calls.get(1);
        assertThat(slow.getDuration("runTime")).isBetween(Duration.ofMillis(49), slow.getDuration());
        assertThat(slow.getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
        assertThat(calls.get(3).getInt("worker"))
                .as("-1 unless the worker stopped at once")
                .isBetween(-1, 0);
    }

    @Test
    void worker_diesAndIsReplaced_tellsStartsAndEnds() throws Exception {
        List<RecordedEvent> events = record("jfr-workers", true, Pool.processes(1), pool -> {
            assertThatThrownBy(() -> pool.invoke(DeathTasks.EXIT, 7)).isInstanceOf(KnittingException.class);
            assertThat(pool.invoke(ContractTasks.INC, 1L)).isEqualTo(2L);
        });
        assertThat(named(events, "WorkerStart"))
                .extracting(event -> event.getInt("incarnation"))
                .containsExactly(1, 2);
        assertThat(named(events, "WorkerStart"))
                .allSatisfy(event -> assertThat(event.getDuration()).isGreaterThan(Duration.ofMillis(1)));
        assertThat(named(events, "WorkerEnd"))
                .extracting(event -> event.getString("reason"))
                .containsExactly("EXITED", "CLOSED");
        assertThat(named(events, "WorkerEnd").get(0).getString("details")).contains("exitCode=7");
        assertThat(named(events, "Call"))
                .extracting(event -> event.getString("outcome"))
                .containsExactly("WORKER_EXITED", "OK");
    }

    @Test
    void waits_queueFullAndResultLate_areTold() throws Exception {
        PoolBuilder builder = Pool.threads(1).queue(1, QueuePolicy.BLOCK);
        List<RecordedEvent> events = record("jfr-waits", false, builder, pool -> {
            List<Call<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                calls.add(pool.submit(ContractTasks.SPIN_MILLIS, 5L));
            }
            for (Call<Long> call : calls) {
                call.join();
            }
        });
        assertThat(named(events, "Call")).as("not enabled").isEmpty();
        assertThat(named(events, "QueueWait")).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("task")).contains("spinMillis");
            assertThat(event.getStackTrace().getFrames()).isNotEmpty();
        });
        assertThat(named(events, "Park"))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getString("task")).contains("spinMillis"));
    }

    /** A runtime without the recorder: a pool works, and its classes for events are not even asked for. */
    @Test
    void runtime_withoutTheRecorder_works() throws Exception {
        Path output = directory.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "--limit-modules=java.base,java.logging",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xlog:class+load:file=" + directory.resolve("classes.log"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HotProgram.class.getName(),
                        "THREADS",
                        "100")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).isTrue();
        assertThat(Files.readString(output)).contains("sum=5050").doesNotContain("Exception", "Error");
        assertThat(Files.readString(directory.resolve("classes.log")))
                .contains("dev.knitting.trace.FlightEvents ")
                .doesNotContain("dev.knitting.trace.CallEvent", "dev.knitting.trace.CallRecording", "jdk.jfr.");
    }
}

package dev.knitting.cli;

import dev.knitting.Call;
import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.cli.InputKind.Input;
import dev.knitting.cli.MapFeeder.MapEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The loop of {@code map}: submits inputs, collects results, writes lines in the order of the inputs. Memory is bounded
 * whatever the number of inputs.
 *
 * <p>One thread owns all state; the {@link MapFeeder} and the pool's completion threads only add events to its queue. A
 * slow input holds back the lines behind it, not the work: later inputs run on until the {@linkplain #MAX_WINDOW window}
 * is full.
 */
final class MapRunner {
    /** Unfinished calls for each worker: enough that none waits for the next input, also when a call takes microseconds. */
    static final int IN_FLIGHT_PER_WORKER = 32;

    /** Most inputs between the oldest one without a line and the newest one. */
    private static final int MAX_WINDOW = 2048;

    /** Contents in flight, and finished lines that wait for an earlier one: beyond it no input is read. */
    private static final long MAX_HELD_BYTES =
            Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8);

    private final Pool pool;
    private final Task<Object, Object> task;
    private final LineOutput output;
    private final MapProgress progress;
    private final boolean failFast;
    private final BlockingQueue<MapEvent> events = new LinkedBlockingQueue<>();
    private final MapSummary summary = new MapSummary();

    private final ArrayDeque<Entry> window = new ArrayDeque<>();
    private MapEvent.@Nullable NoMore end;
    private int permitted;
    private int inFlight;
    private long heldBytes;
    private boolean stopped;
    /** The first failure was seen, and it shall be the last thing that happens. */
    private boolean ending;

    /**
     * A runner for one run.
     *
     * @param pool runs the calls; stays open
     * @param task gets each input
     * @param failFast whether the first failure cancels what runs and ends the run
     */
    MapRunner(Pool pool, Task<Object, Object> task, LineOutput output, MapProgress progress, boolean failFast) {
        this.pool = pool;
        this.task = task;
        this.output = output;
        this.progress = progress;
        this.failFast = failFast;
    }

    /** Ends the run soon; {@link #run} then returns what was written. Any thread. */
    void stop() {
        events.add(new MapEvent.Stop());
    }

    /**
     * Runs until every input has its line.
     *
     * @param items read lazily, on a thread of their own
     * @param kind what the task takes
     * @param maxInputBytes most that one content may have
     * @throws IOException if lines cannot be written
     * @throws InterruptedException if the calling thread was interrupted
     */
    MapSummary run(Iterator<MapInputs.Item> items, InputKind kind, long maxInputBytes)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        MapFeeder feeder = new MapFeeder(items, kind, maxInputBytes, events);
        // A daemon: standard input cannot be interrupted, and must not keep the JVM alive.
        Thread thread = Thread.ofPlatform().daemon().name("knit-map-feeder").start(feeder);
        try {
            loop(feeder);
        } finally {
            thread.interrupt();
        }
        summary.endedAfter(System.nanoTime() - start);
        return summary;
    }

    private void loop(MapFeeder feeder) throws IOException, InterruptedException {
        while (!stopped && ((end == null && !ending) || !window.isEmpty())) {
            while (hasRoom()) {
                permitted++;
                feeder.permitOne();
            }
            handle(events.take());
            writeFinished();
        }
        if (stopped) {
            summary.interrupted();
        }
        if (end != null && end.problem() != null) {
            throw new IOException("cannot read the inputs", end.problem());
        }
    }

    private boolean hasRoom() {
        return !ending
                && inFlight + permitted < IN_FLIGHT_PER_WORKER * pool.workers()
                && window.size() + permitted < MAX_WINDOW
                && heldBytes < MAX_HELD_BYTES;
    }

    private void handle(MapEvent event) {
        switch (event) {
            case MapEvent.Ready ready -> accept(ready);
            case MapEvent.Settled settled -> settle(settled);
            case MapEvent.NoMore noMore -> end = noMore;
            case MapEvent.Stop _ -> stopped = true;
        }
    }

    private void accept(MapEvent.Ready ready) {
        permitted--;
        if (ending) {
            return; // read ahead, and never started: as if it had not been read
        }
        Input input = ready.input();
        Entry entry = new Entry(ready.name(), input == null ? 0 : input.bytes());
        window.add(entry);
        if (input == null) {
            finish(entry, java.util.Objects.requireNonNull(ready.failure()));
            return;
        }
        inFlight++;
        heldBytes += entry.inputBytes;
        long start = System.nanoTime();
        Call<Object> call = pool.submit(task, input.value());
        entry.call = call;
        // The dependent stage is of no use: its callback only adds to an unbounded queue.
        var _ = call.whenComplete((result, problem) ->
                events.add(new MapEvent.Settled(entry, result, problem, System.nanoTime() - start)));
    }

    private void settle(MapEvent.Settled settled) {
        Entry entry = settled.entry();
        inFlight--;
        heldBytes -= entry.inputBytes;
        Throwable problem = settled.problem();
        long nanos = entry.runNanos(settled.nanos());
        entry.call = null;
        finish(
                entry,
                problem == null
                        ? ResultLine.success(entry.name, settled.result(), nanos)
                        : ResultLine.failure(entry.name, problem));
    }

    private void finish(Entry entry, ResultLine line) {
        entry.line = line;
        heldBytes += entry.lineBytes();
        if (failFast && !ending && line.errorCode() != null) {
            ending = true;
            summary.failedFast();
            for (Entry other : window) {
                Call<Object> call = other.call;
                if (call != null) {
                    call.cancel(true); // its line says so
                }
            }
        }
    }

    private void writeFinished() throws IOException {
        boolean written = false;
        for (Entry head = window.peek(); head != null; head = window.peek()) {
            ResultLine line = head.line;
            if (line == null) {
                break;
            }
            if (!output.write(line.bytes())) {
                stopped = true;
                return;
            }
            window.remove();
            heldBytes -= head.lineBytes();
            summary.count(head.name, line);
            progress.step(summary.failed());
            written = true;
        }
        if (written) {
            progress.beforeLines();
            output.flush();
        }
    }

    /** An input between its name and its line. */
    static final class Entry {
        private final String name;
        private final long inputBytes;
        private @Nullable Call<Object> call;
        private @Nullable ResultLine line;

        private Entry(String name, long inputBytes) {
            this.name = name;
            this.inputBytes = inputBytes;
        }

        /** What the worker measured, else what was seen from here. */
        private long runNanos(long elapsedNanos) {
            return call == null
                    ? elapsedNanos
                    : call.runTime().map(Duration::toNanos).orElse(elapsedNanos);
        }

        private long lineBytes() {
            return line == null ? 0 : line.bytes().length + 2L * name.length();
        }
    }
}

package dev.knitting.cli;

import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.cli.InputKind.Input;
import dev.knitting.cli.MapFeeder.MapEvent;
import java.io.IOException;
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
    /** Unfinished calls for each worker: enough that none waits for the next input. */
    private static final int IN_FLIGHT_PER_WORKER = 4;

    /** Most inputs between the oldest one without a line and the newest one. */
    private static final int MAX_WINDOW = 2048;

    /** Contents in flight, and finished lines that wait for an earlier one: beyond it no input is read. */
    private static final long MAX_HELD_BYTES = 256L << 20;

    private final Pool pool;
    private final Task<Object, Object> task;
    private final LineOutput output;
    private final MapProgress progress;
    private final BlockingQueue<MapEvent> events = new LinkedBlockingQueue<>();

    private final ArrayDeque<Entry> window = new ArrayDeque<>();
    private int permitted;
    private int inFlight;
    private long heldBytes;
    private long succeeded;
    private long failed;
    private boolean stopped;

    /**
     * A runner for one run.
     *
     * @param pool runs the calls; stays open
     * @param task gets each input
     */
    MapRunner(Pool pool, Task<Object, Object> task, LineOutput output, MapProgress progress) {
        this.pool = pool;
        this.task = task;
        this.output = output;
        this.progress = progress;
    }

    /**
     * What came out.
     *
     * @param succeeded inputs with a result
     * @param failed inputs with an error
     * @param nanos how long the run took
     * @param stopped whether it was ended early
     */
    record Summary(long succeeded, long failed, long nanos, boolean stopped) {
        long inputs() {
            return succeeded + failed;
        }
    }

    /** Ends the run soon; {@link #run} then returns what was written. Any thread. */
    void stop() {
        events.add(new MapEvent.Stop());
    }

    /**
     * Runs until every name has its line.
     *
     * @param names read lazily, on a thread of their own
     * @param kind what the task takes
     * @param maxInputBytes most that one content may have
     * @throws IOException if lines cannot be written
     * @throws InterruptedException if the calling thread was interrupted
     */
    Summary run(Iterator<String> names, InputKind kind, long maxInputBytes) throws IOException, InterruptedException {
        long start = System.nanoTime();
        MapFeeder feeder = new MapFeeder(names, kind, maxInputBytes, events);
        // A daemon: standard input cannot be interrupted, and must not keep the JVM alive.
        Thread thread = Thread.ofPlatform().daemon().name("knit-map-feeder").start(feeder);
        try {
            loop(feeder);
        } finally {
            thread.interrupt();
        }
        return new Summary(succeeded, failed, System.nanoTime() - start, stopped);
    }

    private void loop(MapFeeder feeder) throws IOException, InterruptedException {
        MapEvent.@Nullable NoMore end = null;
        while (!stopped && (end == null || !window.isEmpty())) {
            while (hasRoom()) {
                permitted++;
                feeder.permitOne();
            }
            switch (events.take()) {
                case MapEvent.Ready ready -> accept(ready);
                case MapEvent.Settled settled -> settle(settled);
                case MapEvent.NoMore noMore -> end = noMore;
                case MapEvent.Stop _ -> {
                    stopped = true;
                    return;
                }
            }
            writeFinished();
        }
        if (end != null && end.problem() != null) {
            throw new IOException("cannot read the names of the inputs", end.problem());
        }
    }

    private boolean hasRoom() {
        return inFlight + permitted < IN_FLIGHT_PER_WORKER * pool.workers()
                && window.size() + permitted < MAX_WINDOW
                && heldBytes < MAX_HELD_BYTES;
    }

    private void accept(MapEvent.Ready ready) {
        permitted--;
        Input input = ready.input();
        Entry entry = new Entry(ready.name(), input == null ? 0 : input.bytes(), ready.failure());
        window.add(entry);
        if (input == null) {
            heldBytes += entry.lineBytes();
            return;
        }
        inFlight++;
        heldBytes += entry.inputBytes;
        long start = System.nanoTime();
        // The dependent stage is of no use: its callback only adds to an unbounded queue.
        var _ = pool.submit(task, input.value())
                .whenComplete((result, problem) ->
                        events.add(new MapEvent.Settled(entry, result, problem, System.nanoTime() - start)));
    }

    private void settle(MapEvent.Settled settled) {
        Entry entry = settled.entry();
        inFlight--;
        heldBytes -= entry.inputBytes;
        Throwable problem = settled.problem();
        ResultLine line = problem == null
                ? ResultLine.success(entry.name, settled.result(), settled.nanos())
                : ResultLine.failure(entry.name, problem);
        entry.line = line;
        heldBytes += entry.lineBytes();
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
            if (line.ok()) {
                succeeded++;
            } else {
                failed++;
            }
            progress.step();
            written = true;
        }
        if (written) {
            output.flush();
        }
    }

    /** An input between its name and its line. */
    static final class Entry {
        private final String name;
        private final long inputBytes;
        private @Nullable ResultLine line;

        private Entry(String name, long inputBytes, @Nullable ResultLine line) {
            this.name = name;
            this.inputBytes = inputBytes;
            this.line = line;
        }

        private long lineBytes() {
            return line == null ? 0 : line.bytes().length;
        }
    }
}

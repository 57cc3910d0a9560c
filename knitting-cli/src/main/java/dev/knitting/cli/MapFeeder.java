package dev.knitting.cli;

import dev.knitting.cli.InputKind.Input;
import dev.knitting.cli.InputKind.InputException;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Reads names and contents ahead of the {@link MapRunner}, one for each permit: names that arrive slowly, and slow disks,
 * never hold up results that are there. Runs on a thread of its own.
 */
final class MapFeeder implements Runnable {
    private final Iterator<String> names;
    private final InputKind kind;
    private final long maxInputBytes;
    private final Semaphore permits = new Semaphore(0);
    private final BlockingQueue<MapEvent> events;

    MapFeeder(Iterator<String> names, InputKind kind, long maxInputBytes, BlockingQueue<MapEvent> events) {
        this.names = names;
        this.kind = kind;
        this.maxInputBytes = maxInputBytes;
        this.events = events;
    }

    /** Lets the feeder read one more input. Any thread. */
    void permitOne() {
        permits.release();
    }

    @Override
    public void run() {
        MapEvent last;
        try {
            permits.acquire();
            while (names.hasNext()) {
                events.add(prepare(names.next()));
                permits.acquire();
            }
            last = new MapEvent.NoMore(null);
        } catch (InterruptedException e) {
            // The runner has ended and wants no more; the thread ends here.
            return;
        } catch (RuntimeException e) {
            // Standard input broke. The runner finishes what it has and then reports it.
            last = new MapEvent.NoMore(e);
        }
        events.add(last);
    }

    private MapEvent prepare(String name) {
        try {
            return new MapEvent.Ready(name, kind.read(name, maxInputBytes), null);
        } catch (InputException e) {
            return new MapEvent.Ready(name, null, ResultLine.failure(name, e.code(), String.valueOf(e.getMessage())));
        } catch (OutOfMemoryError e) {
            return new MapEvent.Ready(
                    name, null, ResultLine.failure(name, "INPUT_TOO_LARGE", "no memory left to read the file: " + e));
        }
    }

    /** What the {@link MapRunner} waits for. */
    sealed interface MapEvent {
        /** An input; exactly one of the last two is there. */
        record Ready(
                String name,
                @Nullable Input input,
                @Nullable ResultLine failure) implements MapEvent {}

        /** The names are at their end, perhaps because they could not be read. */
        record NoMore(@Nullable RuntimeException problem) implements MapEvent {}

        /** A call has settled. */
        record Settled(
                MapRunner.Entry entry,
                @Nullable Object result,
                @Nullable Throwable problem,
                long nanos) implements MapEvent {}

        /** The run shall end at once. */
        record Stop() implements MapEvent {}
    }
}

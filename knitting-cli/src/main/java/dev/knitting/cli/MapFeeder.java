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
    private final Iterator<MapInputs.Item> items;
    private final InputKind kind;
    private final long maxInputBytes;
    private final Semaphore permits = new Semaphore(0);
    private final BlockingQueue<MapEvent> events;

    MapFeeder(Iterator<MapInputs.Item> items, InputKind kind, long maxInputBytes, BlockingQueue<MapEvent> events) {
        this.items = items;
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
            while (items.hasNext()) {
                events.add(prepare(items.next()));
                permits.acquire();
            }
            last = new MapEvent.NoMore(null);
        } catch (InterruptedException e) {
            // The runner has ended and wants no more; the thread ends here.
            return;
        } catch (RuntimeException e) {
            // Standard input broke. The runner finishes what it has and then reports it.
            last = new MapEvent.NoMore(e);
        } catch (OutOfMemoryError e) {
            last = new MapEvent.NoMore(new IllegalStateException("no memory left to read the inputs", e));
        }
        events.add(last);
    }

    private MapEvent prepare(MapInputs.Item item) {
        String name = item.name();
        try {
            return new MapEvent.Ready(name, kind.read(item, maxInputBytes), null);
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

package dev.knitting.host;

import dev.knitting.PoolListener;
import dev.knitting.WorkerEnd;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Brings events to the listener of a pool: in order, one at a time, on its callback threads. Any thread. */
final class ListenerEvents {
    private final @Nullable PoolListener listener;
    private final Executor callbacks;
    /** Guarded by itself, as is {@code running}. */
    private final Queue<Runnable> waiting = new ArrayDeque<>();

    private boolean running;

    ListenerEvents(@Nullable PoolListener listener, Executor callbacks) {
        this.listener = listener;
        this.callbacks = callbacks;
    }

    void started(int worker, long pid) {
        PoolListener told = listener;
        if (told != null) {
            add(() -> told.workerStarted(worker, pid));
        }
    }

    void ended(WorkerEnd end) {
        PoolListener told = listener;
        if (told != null) {
            add(() -> told.workerEnded(end));
        }
    }

    private void add(Runnable event) {
        synchronized (waiting) {
            waiting.add(event);
            if (running) {
                return;
            }
            running = true;
        }
        callbacks.execute(this::tellAll);
    }

    private void tellAll() {
        while (true) {
            Runnable event;
            synchronized (waiting) {
                event = waiting.poll();
                if (event == null) {
                    running = false;
                    return;
                }
            }
            try {
                event.run();
            } catch (Throwable e) {
                System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, "the pool's listener failed", e);
            }
        }
    }
}

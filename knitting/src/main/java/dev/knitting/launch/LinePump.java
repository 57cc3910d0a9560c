package dev.knitting.launch;

import dev.knitting.OutputListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Carries workers' lines to the pool's listener on a thread of its own, so that a listener that blocks (logging to a
 * terminal nobody reads) never stops the reading of a worker's pipe, and with it the worker.
 *
 * <p>A full queue makes a reader wait for up to 20 ms; if no room comes in that time, lines are dropped and counted
 * until half the queue is free again. The thread starts with the first line.
 */
final class LinePump implements AutoCloseable {
    private static final int MAX_CHARS = 1 << 20;
    /** What a line costs beside its characters. */
    private static final int LINE_OVERHEAD_CHARS = 32;

    private static final long WAIT_FOR_ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private record Line(int worker, String text) {}

    private final String pool;
    private final OutputListener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition roomOrEnd = lock.newCondition();
    private final Condition lineOrEnd = lock.newCondition();
    private final Deque<Line> queue = new ArrayDeque<>();
    private int queuedChars;
    private long dropped;
    private boolean dropping;
    private boolean closed;
    private boolean delivering;
    private boolean listenerFailed;
    private @Nullable Thread thread;

    LinePump(String pool, OutputListener listener) {
        this.pool = pool;
        this.listener = listener;
    }

    /** Queues a line or drops it; returns within about 20 ms. */
    void offer(int worker, String text) {
        lock.lock();
        try {
            if (closed || !awaitRoom(text.length() + LINE_OVERHEAD_CHARS)) {
                dropped++;
                return;
            }
            if (dropped > 0) {
                enqueue(new Line(worker, "[" + dropped + " lines dropped: the listener did not keep up]"));
                dropped = 0;
            }
            enqueue(new Line(worker, text));
            if (thread == null) {
                thread = LauncherThreads.start("knitting-output-" + pool, this::deliver);
            }
        } finally {
            lock.unlock();
        }
    }

    private void enqueue(Line line) {
        queue.addLast(line);
        queuedChars += line.text().length() + LINE_OVERHEAD_CHARS;
        lineOrEnd.signal();
    }

    private boolean awaitRoom(int chars) {
        if (dropping && queuedChars > MAX_CHARS / 2) {
            return false;
        }
        long left = WAIT_FOR_ROOM_NANOS;
        while (queuedChars + chars > MAX_CHARS && !closed) {
            if (left <= 0) {
                dropping = true;
                return false;
            }
            try {
                left = roomOrEnd.awaitNanos(left);
            } catch (InterruptedException e) {
                // Only a reader that is told to end is interrupted.
                Thread.currentThread().interrupt();
                return false;
            }
        }
        dropping = false;
        return !closed;
    }

    private void deliver() {
        Line line = take();
        while (line != null) {
            try {
                listener.onLine(pool, line.worker(), line.text());
            } catch (RuntimeException e) {
                // Goes on with the next line; one report, not one per line.
                if (!listenerFailed) {
                    listenerFailed = true;
                    LauncherLog.warning("output listener failed: pool=" + pool, e);
                }
            }
            line = take();
        }
    }

    /** The next line; null when closed and empty, or interrupted by close. */
    private @Nullable Line take() {
        lock.lock();
        try {
            delivering = false;
            roomOrEnd.signalAll();
            while (queue.isEmpty()) {
                if (closed) {
                    return null;
                }
                lineOrEnd.awaitUninterruptibly();
            }
            Line line = queue.removeFirst();
            queuedChars -= line.text().length() + LINE_OVERHEAD_CHARS;
            delivering = true;
            return line;
        } finally {
            lock.unlock();
        }
    }

    /** Delivers what is queued, for up to 200 ms. A listener that blocks longer keeps only its daemon thread. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            lineOrEnd.signalAll();
            roomOrEnd.signalAll();
            long left = CLOSE_NANOS;
            while (left > 0 && (!queue.isEmpty() || delivering)) {
                left = roomOrEnd.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            queue.clear();
            lock.unlock();
        }
    }
}

package dev.knitting.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lines on standard output, whole ones only: after {@link #endWithin}, which comes from another thread at any time,
 * nothing more is written. Thread-safe.
 */
final class LineOutput {
    private static final int BUFFER_BYTES = 64 << 10;

    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean ended;

    LineOutput(OutputStream out) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
    }

    /**
     * Adds a line.
     *
     * @return false if the output was ended, and the line dropped
     * @throws IOException if it cannot be written, for example because the reader of a pipe went away
     */
    boolean write(byte[] line) throws IOException {
        lock.lock();
        try {
            if (ended) {
                return false;
            }
            out.write(line);
            out.write('\n');
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Hands over what was written so far. */
    void flush() throws IOException {
        lock.lock();
        try {
            if (!ended) {
                out.flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Hands over what was written so far, and ends the output. Gives up when a write is stuck for so long, as it is when
     * the reader of a pipe has stopped reading: a program that shall end must not wait for it.
     */
    void endWithin(Duration patience) throws IOException, InterruptedException {
        if (lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            try {
                if (!ended) {
                    ended = true;
                    out.flush();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}

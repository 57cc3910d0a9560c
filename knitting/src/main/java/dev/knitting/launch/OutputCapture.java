package dev.knitting.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reads what one worker prints until the last holder of its pipe is gone, on one daemon thread.
 *
 * <p>A process that the worker started may hold the pipe for ever. A thread blocked in a read of {@link Process}' own
 * stream cannot be freed, so where {@code /proc} allows it the pipe is opened a second time, as a channel that another
 * thread can close ({@link #finish}).
 */
final class OutputCapture {
    private static final int BUFFER_BYTES = 16 * 1024;
    /** After the worker's end: silence that means all was read. Its pipe holds 64 KiB, a few ms of reading. */
    private static final long QUIET_MILLIS = 100;

    private static final long FINISH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final InputStream input;
    private final OutputTail tail;
    private final LineSplitter splitter;
    private final Thread thread;
    private volatile long bytesRead;
    private volatile boolean finishing;

    /**
     * Takes over a process's merged output.
     *
     * @param name of the thread
     * @param process started with its error stream redirected into its output
     * @param tail keeps the end
     * @param pump takes every line
     */
    OutputCapture(String name, Process process, int worker, OutputTail tail, LinePump pump) {
        this.tail = tail;
        input = open(process);
        splitter = new LineSplitter(new Lines(worker, tail, pump));
        thread = LauncherThreads.create(name, new Read());
    }

    private record Lines(int worker, OutputTail tail, LinePump pump) implements Consumer<String> {
        @Override
        public void accept(String line) {
            tail.add(line);
            pump.offer(worker, line);
        }
    }

    private final class Read implements Runnable {
        @Override
        public void run() {
            read();
        }
    }

    void start() {
        thread.start();
    }

    private static InputStream open(Process process) {
        Path pipe = Path.of("/proc/" + process.pid() + "/fd/1");
        InputStream own = process.getInputStream();
        try {
            // A wrapper may have put something else there already.
            if (Files.isSymbolicLink(pipe)
                    && Files.readSymbolicLink(pipe).toString().startsWith("pipe:")) {
                InputStream second = Channels.newInputStream(FileChannel.open(pipe, StandardOpenOption.READ));
                own.close();
                return second;
            }
        } catch (IOException e) {
            // The process is gone already, or hides its files: then the stream that cannot be closed must do.
            LauncherLog.debug("output pipe not reopened: pid=" + process.pid(), e);
        }
        return own;
    }

    private void read() {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            int count = input.read(buffer);
            while (count >= 0) {
                splitter.add(buffer, count);
                tail.unfinished(splitter.unfinished());
                bytesRead += count;
                count = input.read(buffer);
            }
        } catch (ClosedChannelException e) {
            LauncherLog.debug("output still held by another process, no longer read", e);
        } catch (IOException e) {
            if (finishing) {
                LauncherLog.debug("output of an ended worker no longer read", e);
            } else {
                LauncherLog.warning("output of a worker no longer read", e);
            }
        } finally {
            splitter.end();
            close();
        }
    }

    /**
     * Ends the capture of a process that has exited: reads what is left for up to 0.5 s, then closes the pipe.
     *
     * @return whether the thread has ended; false only where the pipe could not be reopened
     */
    boolean finish() {
        finishing = true;
        long start = System.nanoTime();
        try {
            long before;
            do {
                before = bytesRead;
                if (thread.join(Duration.ofMillis(QUIET_MILLIS))) {
                    return true;
                }
            } while (bytesRead != before && System.nanoTime() - start < FINISH_NANOS);
            close();
            return thread.join(Duration.ofMillis(QUIET_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            return false;
        }
    }

    private void close() {
        try {
            input.close();
        } catch (IOException e) {
            LauncherLog.debug("output pipe not closed", e);
        }
    }
}

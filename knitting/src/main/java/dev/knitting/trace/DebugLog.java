package dev.knitting.trace;

import dev.knitting.Debug;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the debug lines of one pool's host, or of one worker, to standard error.
 *
 * <p>A worker process writes to its own standard error, past {@code System.err}, which a task may have replaced; the host
 * knows the lines by their start ({@link #isLine}) and copies them to its own. A line is written with one call, so lines of
 * several threads and processes do not mix.
 *
 * <p>Any thread.
 */
public final class DebugLog {
    /** Says nothing. */
    public static final DebugLog OFF = new DebugLog(0, "", 0, null);

    private static final int NANOS_PER_MICRO = 1_000;
    private static final int MICROS_PER_MILLI = 1_000;

    private final int bits;
    private final String source;
    private final long epochNanos;
    private final @Nullable FileOutputStream raw;

    private DebugLog(int bits, String source, long epochNanos, @Nullable FileOutputStream raw) {
        this.bits = bits;
        this.source = source;
        this.epochNanos = epochNanos;
        this.raw = raw;
    }

    /**
     * The log of a host, or of a worker that is a thread in it.
     *
     * @param bits {@link DebugNamespaces#bits}
     * @param source {@link #source}, or the pool's name
     * @param epochNanos the time that lines count from, as {@link System#nanoTime} tells it
     */
    public static DebugLog ofHost(int bits, String source, long epochNanos) {
        return bits == 0 ? OFF : new DebugLog(bits, source, epochNanos, null);
    }

    /**
     * The log of a worker process.
     *
     * @param epochNanos the host's: on every supported system all processes read the same monotonic clock (but not across
     *     time namespaces)
     */
    public static DebugLog ofWorkerProcess(int bits, String source, long epochNanos) {
        return new DebugLog(bits, source, epochNanos, new FileOutputStream(FileDescriptor.err));
    }

    /** What a worker's lines say where they come from. */
    public static String source(String pool, int worker) {
        return pool + "-" + worker;
    }

    /** Whether a namespace is on. */
    public boolean isOn(Debug namespace) {
        return (bits & DebugNamespaces.bit(namespace)) != 0;
    }

    /** Writes a line if its namespace is on. Line breaks within it are shown as {@code \n}. */
    public void line(Debug namespace, String text) {
        if (!isOn(namespace)) {
            return;
        }
        String line = tag(namespace, source) + time() + "] "
                + text.replace("\r", "\\r").replace("\n", "\\n");
        if (raw == null) {
            System.err.println(line);
            return;
        }
        try {
            raw.write((line + "\n").getBytes(StandardCharsets.UTF_8)); // as the host reads it
        } catch (IOException e) {
            // Nobody reads standard error any more, and there is no other place to say so.
            return;
        }
    }

    private static String tag(Debug namespace, String source) {
        return "[" + DebugNamespaces.nameOf(namespace) + "." + source + ".+";
    }

    /** Milliseconds with three places, such as {@code 12.345ms}. */
    private String time() {
        return millis(System.nanoTime() - epochNanos);
    }

    /** A duration in milliseconds with three places. */
    public static String millis(long nanos) {
        long micros = nanos / NANOS_PER_MICRO;
        String places = Long.toString(MICROS_PER_MILLI + Math.abs(micros % MICROS_PER_MILLI));
        return micros / MICROS_PER_MILLI + "." + places.substring(1) + "ms";
    }

    /** Whether a line of a worker's output is one of these. */
    public static boolean isLine(String line, String source) {
        if (!line.startsWith("[")) {
            return false;
        }
        for (Debug namespace : Debug.values()) {
            if (line.startsWith(tag(namespace, source))) {
                return true;
            }
        }
        return false;
    }
}

package dev.knitting.memory;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;

/**
 * Reads when a process started from {@code /proc/PID/stat} (Linux), without native calls and with few classes: a worker
 * does it a few times a second, from its first moments on.
 */
final class ProcStat {
    /** The process does not exist, or has ended and waits for its parent to notice. */
    static final long GONE = -1;

    /** It exists, as far as can be told, but its state cannot be read. */
    static final long UNREADABLE = -2;

    private static final int STAT_BYTES = 1024;
    private static final int THREADS_FIELD = 20;
    private static final int START_FIELD = 22;

    private ProcStat() {}

    /** Clock ticks between the machine's start and the process's, or {@link #GONE}, or {@link #UNREADABLE}. */
    static long startTicks(long pid) {
        String directory = "/proc/".concat(Long.toString(pid));
        byte[] stat = new byte[STAT_BYTES];
        try (FileInputStream in = new FileInputStream(directory.concat("/stat"))) {
            return parse(stat, Math.max(0, in.read(stat)));
        } catch (IOException e) {
            // Also when this process has no descriptor left. Asking for existence needs none: never take a live host
            // for a dead one.
            return new File(directory).exists() ? UNREADABLE : GONE;
        }
    }

    /**
     * Whether {@code /proc} is that of another pid namespace (one entered without mounting its own), so that process ids
     * mean nothing in it.
     *
     * @param ownPid id of this process as it sees itself
     */
    static boolean isForeign(long ownPid) {
        File self = new File("/proc/self");
        try {
            return self.exists() && !self.getCanonicalFile().getName().equals(Long.toString(ownPid));
        } catch (IOException e) {
            return true;
        }
    }

    /** Field 2 is the program's name in parentheses and may hold anything, so fields are counted from the last one. */
    static long parse(byte[] stat, int length) {
        int i = length - 1;
        while (i >= 0 && stat[i] != ')') {
            i--;
        }
        if (i < 0 || i + 2 >= length) {
            return UNREADABLE;
        }
        byte state = stat[i + 2];
        long threads = field(stat, length, i + 2, THREADS_FIELD);
        // A zombie with other threads is alive: only its first thread has ended.
        if (state == 'X' || state == 'x' || (state == 'Z' && threads <= 1)) {
            return GONE;
        }
        return field(stat, length, i + 2, START_FIELD);
    }

    /** A decimal field; {@code from} is where field 3 starts. */
    private static long field(byte[] stat, int length, int from, int number) {
        int i = from;
        for (int at = 3; at < number; at++) {
            while (i < length && stat[i] != ' ') {
                i++;
            }
            i++;
        }
        if (i >= length || stat[i] < '0' || stat[i] > '9') {
            return UNREADABLE;
        }
        long value = 0;
        while (i < length && stat[i] >= '0' && stat[i] <= '9') {
            value = value * 10 + (stat[i] - '0');
            i++;
        }
        return value;
    }
}

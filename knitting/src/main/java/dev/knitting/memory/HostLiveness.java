package dev.knitting.memory;

import java.io.File;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether one process, normally the host, still runs. Asked a few times a second by each worker; needs no native call
 * and takes microseconds on Linux.
 *
 * <p>A process is told by its id and a <b>start token</b>. On Linux that is the start in clock ticks since the machine
 * started, as {@code /proc} shows it: a start in wall-clock time, as {@link ProcessHandle} tells it, moves when the
 * clock is set, and two JVMs compute it from different readings. Elsewhere it is that time. The lowest bit says which
 * one, so that they are never compared with each other.
 *
 * <p>Where the process cannot be seen ({@link #isVisible()} is false: another pid namespace, a sandbox without {@code
 * /proc}), {@link #isAlive()} means nothing, and the worker watches {@link ParentProcess} instead.
 *
 * <p>Any thread may call.
 */
public final class HostLiveness {
    private static final long TICKS_BIT = 1;

    private final long pid;
    private final long startToken;
    private final boolean isVisible;

    private HostLiveness(long pid, long startToken) {
        this.pid = pid;
        this.startToken = startToken;
        this.isVisible = isAlive();
    }

    /**
     * Watches a process.
     *
     * @param pid its process id
     * @param startToken its start token, 0 if unknown: then any process with this id counts as it
     */
    public static HostLiveness of(long pid, long startToken) {
        return new HostLiveness(pid, startToken);
    }

    /** Whether the process could be seen, alive, when the watch began. */
    public boolean isVisible() {
        return isVisible;
    }

    /** Whether the process still runs. Once false, always false. If in doubt (no descriptor left), true. */
    public boolean isAlive() {
        if (!ProcOrHandle.HAS_PROC) {
            return Handles.isAlive(pid, startToken);
        }
        long ticks = ProcStat.startTicks(pid);
        if (ticks < 0) {
            return ticks == ProcStat.UNREADABLE;
        }
        return startToken == 0 || (startToken & TICKS_BIT) == 0 || startToken == ticksToken(ticks);
    }

    /** The start token of a process of this machine; 0 if it does not run or cannot be seen. Never negative. */
    public static long startToken(long pid) {
        if (!ProcOrHandle.HAS_PROC) {
            return Handles.startToken(pid);
        }
        long ticks = ProcStat.startTicks(pid);
        return ticks < 0 ? 0 : ticksToken(ticks);
    }

    private static long ticksToken(long ticks) {
        return ticks << 1 | TICKS_BIT;
    }

    /** Asked once: a JVM does not lose its {@code /proc}. */
    private static final class ProcOrHandle {
        static final boolean HAS_PROC = new File("/proc/self/stat").exists();

        private ProcOrHandle() {}
    }

    /** The way without {@code /proc}; a class of its own, so that Linux does not load what it needs. */
    static final class Handles {
        private Handles() {}

        static boolean isAlive(long pid, long startToken) {
            Optional<ProcessHandle> handle = ProcessHandle.of(pid);
            if (handle.isEmpty() || !handle.get().isAlive()) {
                return false;
            }
            long token = startToken(pid);
            return startToken == 0 || token == 0 || (startToken & TICKS_BIT) != 0 || token == startToken;
        }

        static long startToken(long pid) {
            Optional<Instant> start =
                    ProcessHandle.of(pid).flatMap(handle -> handle.info().startInstant());
            return start.isPresent() ? start.get().toEpochMilli() << 1 : 0;
        }
    }
}

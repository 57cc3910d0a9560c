package dev.knitting.cli;

import dev.knitting.observe.PoolSnapshot;
import dev.knitting.observe.WorkerSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Snapshots as a table; rates come from the snapshot before. One thread. */
final class TopTable {
    private static final String ROW = "  %6s %8s %4s %-8s %12s %10s %6s %8s %9s %9s %5s  %s%n";
    private static final double NANOS_PER_SECOND = 1e9;

    private record WorkerKey(long host, String pool, int worker) {}

    private Map<WorkerKey, WorkerSnapshot> last = new HashMap<>();
    private long lastNanos;

    /**
     * The table.
     *
     * @param nanos when the snapshots were taken, as {@link System#nanoTime} tells it
     */
    String text(List<PoolSnapshot> pools, long nanos) {
        StringBuilder text = new StringBuilder();
        double elapsed = (nanos - lastNanos) / NANOS_PER_SECOND;
        Map<WorkerKey, WorkerSnapshot> seen = new HashMap<>();
        for (PoolSnapshot pool : pools) {
            text.append(String.format(
                    Locale.ROOT,
                    "pool %s  host %d  workers %d  tasks %d  queued %d%n",
                    printable(pool.name()),
                    pool.hostPid(),
                    pool.workers().size(),
                    pool.tasks(),
                    pool.queued()));
            text.append(String.format(
                    Locale.ROOT,
                    ROW,
                    "WORKER",
                    "PID",
                    "RUN",
                    "STATE",
                    "CALLS",
                    "CALLS/S",
                    "WAIT",
                    "FAILED",
                    "IN",
                    "OUT",
                    "BUSY",
                    "TASK"));
            for (WorkerSnapshot worker : pool.workers()) {
                WorkerKey key = new WorkerKey(pool.hostPid(), pool.name(), worker.index());
                seen.put(key, worker);
                text.append(row(worker, last.get(key), elapsed));
            }
        }
        last = seen;
        lastNanos = nanos;
        return text.toString().stripTrailing();
    }

    private static String row(WorkerSnapshot worker, @Nullable WorkerSnapshot before, double elapsed) {
        return String.format(
                Locale.ROOT,
                ROW,
                worker.index(),
                worker.pid(),
                worker.incarnation(),
                state(worker),
                worker.entered(),
                before == null
                        ? "-"
                        : String.format(Locale.ROOT, "%.0f", (worker.entered() - before.entered()) / elapsed),
                worker.waiting(),
                worker.failed(),
                bytes(worker.bytesIn()),
                bytes(worker.bytesOut()),
                before == null ? "-" : busy(worker.busyNanos() - before.busyNanos(), elapsed),
                worker.task() == null ? "" : printable(shortName(worker.task())));
    }

    /** A worker that is ready works or sleeps. */
    private static String state(WorkerSnapshot worker) {
        if (!worker.state().equals("READY")) {
            return worker.state().toLowerCase(Locale.ROOT);
        }
        return worker.task() != null ? "runs" : worker.asleep() ? "sleeps" : "looks";
    }

    /** Time in tasks is counted when a task ends, and partly estimated: more than all is all. */
    private static String busy(long nanos, double elapsed) {
        return String.format(Locale.ROOT, "%.0f%%", Math.clamp(nanos / NANOS_PER_SECOND / elapsed * 100, 0, 100));
    }

    private static String bytes(long count) {
        if (count < 1 << 10) {
            return Long.toString(count);
        }
        double value = count;
        String units = "KMGTPE";
        int unit = -1;
        while (value >= 1024 && unit < units.length() - 1) {
            value /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f%c", value, units.charAt(unit));
    }

    /** Without the descriptor, which is long. */
    private static String shortName(String target) {
        int descriptor = target.indexOf('(');
        return descriptor < 0 ? target : target.substring(0, descriptor);
    }

    /** What comes from another process's memory must not steer the terminal. */
    private static String printable(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}

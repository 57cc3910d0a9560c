package dev.knitting.cli.chaos;

import dev.knitting.OutputListener;
import dev.knitting.PoolListener;
import dev.knitting.WorkerEnd;
import dev.knitting.fault.FaultAction;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Hears of faults from the workers that are about to suffer them, and of deaths from the pool. */
final class ChaosFaults implements OutputListener, PoolListener {
    /** How long a stopped worker stands still. */
    private static final int STOPPED_MILLIS = 200;

    private final Map<FaultPoint, Integer> hits = new EnumMap<>(FaultPoint.class);
    /** When replacements answered their start, by {@code System.nanoTime()}. */
    private final List<Long> replacements = new ArrayList<>();

    private int started;
    private int died;
    private int faults;
    private int faultsWhileRunning;

    @Override
    public void onLine(String pool, int worker, String line) {
        int at = line.indexOf(Faults.LINE_PREFIX);
        if (at < 0) {
            return;
        }
        String[] facts = line.substring(at + Faults.LINE_PREFIX.length()).split("[ =]", -1);
        FaultPoint point = FaultPoint.valueOf(facts[1]);
        synchronized (this) {
            hits.merge(point, 1, Integer::sum);
            faults++;
            if (point.isRunning()) {
                faultsWhileRunning++;
            }
        }
        if (facts[3].equals("STOP")) {
            continueLater(Long.parseLong(facts[5]));
        }
    }

    /** A worker is about to be killed or stopped from outside, at no named point. */
    void strike(long pid, FaultAction action) throws IOException {
        synchronized (this) {
            faults++;
        }
        new ProcessBuilder("kill", "-" + action, Long.toString(pid)).start();
        if (action == FaultAction.STOP) {
            continueLater(pid);
        }
    }

    /** On a slow machine it says that it stops long before it does: who continued it then would wait for ever. */
    private static void continueLater(long pid) {
        // A failure goes to the thread's handler; nobody waits for it.
        var _ = CompletableFuture.runAsync(
                () -> {
                    try {
                        if (isStopped(pid)) {
                            new ProcessBuilder("kill", "-CONT", Long.toString(pid)).start();
                        } else if (ProcessHandle.of(pid).isPresent()) {
                            continueLater(pid);
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException("cannot continue a stopped worker: pid=" + pid, e);
                    }
                },
                CompletableFuture.delayedExecutor(STOPPED_MILLIS, TimeUnit.MILLISECONDS));
    }

    private static boolean isStopped(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("T");
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    @Override
    public synchronized void workerStarted(int worker, long pid) {
        started++;
        replacements.add(System.nanoTime());
    }

    @Override
    public synchronized void workerEnded(WorkerEnd end) {
        if (end.reason() == WorkerEnd.Reason.CRASHED || end.reason() == WorkerEnd.Reason.STARTUP_FAILED) {
            died++;
        }
    }

    /** Workers' faults by point. */
    synchronized Map<FaultPoint, Integer> hits() {
        return Map.copyOf(hits);
    }

    synchronized int faults() {
        return faults;
    }

    synchronized int faultsWhileRunning() {
        return faultsWhileRunning;
    }

    /** Workers that died without being asked. */
    synchronized int died() {
        return died;
    }

    synchronized int started() {
        return started;
    }

    /** When workers became ready. */
    synchronized List<Long> startTimes() {
        return List.copyOf(replacements);
    }
}

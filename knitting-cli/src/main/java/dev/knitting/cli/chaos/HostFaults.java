package dev.knitting.cli.chaos;

import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/**
 * What this process suffers, as the host of the pool: delays, stops and failures at its own points. A process that has
 * stopped itself cannot go on by itself, so a shell continues it, five times a second.
 */
final class HostFaults implements AutoCloseable {
    private static final String CONTINUE = "while kill -CONT $PPID; do sleep 0.2; done 2>/dev/null";

    private final Process continuer;
    private final Map<FaultPoint, Integer> hits = new EnumMap<>(FaultPoint.class);

    /**
     * Begins.
     *
     * @param seed decides what happens when
     * @param minMillis shortest time between two faults
     * @param maxMillis longest time
     * @throws IllegalStateException if this JVM was not switched on for faults
     */
    HostFaults(long seed, int minMillis, int maxMillis) throws IOException {
        if (!Faults.ENABLED) {
            throw new IllegalStateException("faults are off: property=" + Faults.PROPERTY);
        }
        continuer = new ProcessBuilder("sh", "-c", CONTINUE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Faults.beginHost(seed, minMillis, maxMillis, fault -> count(fault.point()));
    }

    private synchronized void count(FaultPoint point) {
        hits.merge(point, 1, Integer::sum);
    }

    /** Faults by point. */
    synchronized Map<FaultPoint, Integer> hits() {
        return Map.copyOf(hits);
    }

    synchronized int faults() {
        return hits.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public void close() throws IOException {
        Faults.endHost();
        continuer.destroyForcibly();
        try {
            continuer.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

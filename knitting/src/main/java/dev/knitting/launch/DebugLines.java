package dev.knitting.launch;

import dev.knitting.OutputListener;
import dev.knitting.trace.DebugLog;

/**
 * Copies the debug lines of worker processes to the host's standard error as they are; all other lines go to the pool's
 * listener.
 *
 * @param others takes what tasks print
 */
public record DebugLines(OutputListener others) implements OutputListener {
    @Override
    public void onLine(String pool, int worker, String line) {
        if (DebugLog.isLine(line, DebugLog.source(pool, worker))) {
            System.err.println(line);
        } else {
            others.onLine(pool, worker, line);
        }
    }
}

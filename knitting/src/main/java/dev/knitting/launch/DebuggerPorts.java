package dev.knitting.launch;

import dev.knitting.OutputListener;

/**
 * Shows on standard error where a debugger can attach to a worker; all other lines go to the pool's listener.
 *
 * @param others takes them
 */
public record DebuggerPorts(OutputListener others) implements OutputListener {
    /** What the JVM's debugging agent prints before the port. */
    private static final String LISTENING = "Listening for transport dt_socket at address: ";

    @Override
    public void onLine(String pool, int worker, String line) {
        if (line.startsWith(LISTENING)) {
            System.err.println("[" + pool + "-" + worker + "] a debugger can attach to 127.0.0.1:"
                    + line.substring(LISTENING.length()));
        } else {
            others.onLine(pool, worker, line);
        }
    }
}

package dev.knitting.launch;

import dev.knitting.OutputListener;
import java.lang.System.Logger.Level;

/** Hands workers' lines to the platform's logging, level INFO, logger {@code dev.knitting.worker}. */
public enum SystemLog implements OutputListener {
    /** The only one. */
    INSTANCE;

    /** Logging starts up with the first line, not with the first pool. */
    private static final class Holder {
        static final System.Logger LOG = System.getLogger("dev.knitting.worker");
    }

    @Override
    public void onLine(String pool, int worker, String line) {
        if (Holder.LOG.isLoggable(Level.INFO)) {
            Holder.LOG.log(Level.INFO, "[" + pool + "-" + worker + "] " + line);
        }
    }
}

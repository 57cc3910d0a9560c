package dev.knitting.launch;

import java.lang.System.Logger.Level;

/** This package's own log, logger {@code dev.knitting.launch}. Logging is not started up before there is a line for it. */
final class LauncherLog {
    private LauncherLog() {}

    private static final class Holder {
        static final System.Logger LOG = System.getLogger("dev.knitting.launch");
    }

    static void debug(String message, Throwable cause) {
        Holder.LOG.log(Level.DEBUG, message, cause);
    }

    static void warning(String message, Throwable cause) {
        Holder.LOG.log(Level.WARNING, message, cause);
    }

    static void warning(String message) {
        Holder.LOG.log(Level.WARNING, message);
    }
}

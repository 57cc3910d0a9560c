package dev.knitting.bench.peer;

import java.util.Locale;

/** Where a peer runs the function. */
public enum Kind {
    /** Another thread of this JVM; arguments pass as references. */
    THREAD,
    /** Another process; arguments are copied. */
    PROCESS,
    /** Another process and one word each way: what the hardware allows, no function and no payload. */
    LIMIT;

    /** The name used in reports: lower case. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

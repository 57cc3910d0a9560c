package dev.knitting.host;

import java.util.concurrent.TimeUnit;

/** Points on the clock of {@code System.nanoTime()}, whose differences are right and whose values mean nothing. */
final class Deadline {
    private Deadline() {}

    /** The point so long from now; now, if the time is negative: however long ago, it is over. */
    static long after(long timeout, TimeUnit unit) {
        return System.nanoTime() + Math.max(0, unit.toNanos(timeout)); // less than 0 could wrap around into the future
    }
}

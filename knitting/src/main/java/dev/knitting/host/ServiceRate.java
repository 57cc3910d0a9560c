package dev.knitting.host;

/**
 * How many calls a lane is fed ahead. A worker that takes long is given one call at a time, so that none waits behind it
 * while another worker idles; one that is fast is fed a full mailbox, so that it never waits for the host. Estimated
 * from the times between drains while the lane stays busy; a lane that runs dry costs no clock reading.
 *
 * <p>Written under the lane's drain lock.
 */
final class ServiceRate {
    private static final int FIRST_DEPTH = 2;
    private static final int SLOW_DEPTH = 1;
    private static final int MEDIUM_DEPTH = 4;
    private static final int FAST_DEPTH = 64;
    private static final long FAST_NANOS = 20_000;
    private static final long MEDIUM_NANOS = 200_000;

    /** Reading the clock costs as much as half a call: results of a fast lane are counted for a while first. */
    private static final int RESULTS_PER_SAMPLE = 32;

    private long lastDrainNanos;
    private int uncounted;
    private long estimateNanos = -1;
    /** Read by producers without order: any recent value does. */
    private volatile int depth = FIRST_DEPTH;

    int depth() {
        return depth;
    }

    /**
     * @param results taken just now
     *
     * @param busy whether the lane has, or gets at once, more to do
     */
    void drained(int results, boolean busy) {
        if (!busy) {
            if (lastDrainNanos != 0) {
                lastDrainNanos = 0;
                uncounted = 0;
            }
            return;
        }
        uncounted += results;
        if (lastDrainNanos != 0 && depth == FAST_DEPTH && uncounted < RESULTS_PER_SAMPLE) {
            return;
        }
        long now = System.nanoTime();
        if (lastDrainNanos != 0 && uncounted > 0) {
            long sample = (now - lastDrainNanos) / uncounted;
            estimateNanos = estimateNanos < 0 ? sample : estimateNanos + ((sample - estimateNanos) >> 2);
            int wanted =
                    estimateNanos < FAST_NANOS ? FAST_DEPTH : estimateNanos < MEDIUM_NANOS ? MEDIUM_DEPTH : SLOW_DEPTH;
            if (wanted != depth) {
                depth = wanted;
            }
        }
        lastDrainNanos = now;
        uncounted = 0;
    }
}

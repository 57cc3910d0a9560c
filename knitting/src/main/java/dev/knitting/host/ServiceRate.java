package dev.knitting.host;

/**
 * How many calls a lane is fed ahead. A worker that takes long is given one call at a time, so that none waits behind it
 * while another worker idles; one that is fast is fed a full mailbox, so that it never waits for the host.
 *
 * <p>Estimated from what the worker says its calls took (it measures every call while they are slow, one in sixteen while
 * they are fast), and not from when results arrive: on a busy machine that is mostly the time until somebody gets a
 * processor, and a lane that was fed one call at a time for it would wait that long for every one of them.
 *
 * <p>Written under the lane's drain lock.
 */
final class ServiceRate {
    private static final int FIRST_DEPTH = 2;
    private static final int SLOW_DEPTH = 1;
    private static final int MEDIUM_DEPTH = 4;
    private static final int FAST_DEPTH = 64;
    private static final long FAST_MICROS = 20;
    private static final long MEDIUM_MICROS = 200;

    private long estimateMicros = -1;
    /** Read by producers without order: any recent value does. */
    private volatile int depth = FIRST_DEPTH;

    int depth() {
        return depth;
    }

    /** A call took so many microseconds in the worker. */
    void measured(int micros) {
        // Down quickly, for the first calls load classes; up slowly, for one slow call is no slow task.
        estimateMicros = estimateMicros < 0 || micros < estimateMicros
                ? (Math.max(estimateMicros, 0) + micros) / 2
                : estimateMicros + Math.max(1, (micros - estimateMicros) / 4);
        int wanted =
                estimateMicros < FAST_MICROS ? FAST_DEPTH : estimateMicros < MEDIUM_MICROS ? MEDIUM_DEPTH : SLOW_DEPTH;
        if (wanted != depth) {
            depth = wanted;
        }
    }
}

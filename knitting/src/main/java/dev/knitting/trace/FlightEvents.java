package dev.knitting.trace;

import org.jspecify.annotations.Nullable;

/**
 * The pool's events for the JDK's flight recorder, in the host. Works without the module {@code jdk.jfr}: then there are no
 * events, and none of their classes is loaded.
 *
 * <p>While nothing records, asking whether to is a constant {@code false} in compiled code: the recorder replaces the
 * answer when it starts. Any thread.
 */
public final class FlightEvents {
    private static final boolean PRESENT = isPresent();

    private FlightEvents() {}

    private static boolean isPresent() {
        Module own = FlightEvents.class.getModule();
        return ModuleLayer.boot().findModule("jdk.jfr").filter(own::canRead).isPresent();
    }

    /** Whether calls are to be recorded. */
    public static boolean recordsCalls() {
        return PRESENT && CallEvent.isOn();
    }

    /** Begins the recording of a call; after {@link #recordsCalls}. */
    public static CallRecording call(String pool, Object task) {
        return new CallRecording(pool, task.toString());
    }

    /** Begins an event of a submitter that waits for room in the queue; null if that is not recorded. */
    public static @Nullable Recording queueWait(String pool, Object task) {
        return PRESENT ? QueueWaitEvent.begin(pool, task) : null;
    }

    /** Begins an event of a caller that sleeps until its result is there; null if that is not recorded. */
    public static @Nullable Recording park(String pool, Object task) {
        return PRESENT ? ParkEvent.begin(pool, task) : null;
    }

    /** Begins the event of a worker's start; null if that is not recorded. */
    public static @Nullable Recording workerStart(String pool, int worker, int incarnation) {
        return PRESENT ? WorkerStartEvent.begin(pool, worker, incarnation) : null;
    }

    /**
     * Records a worker's end.
     *
     * @param reason an error code, or why the pool ended it
     * @param details what is known of it
     */
    public static void workerEnd(String pool, int worker, int incarnation, String reason, String details) {
        if (PRESENT) {
            WorkerEndEvent.record(pool, worker, incarnation, reason, details);
        }
    }

    /** An event that has begun. */
    @FunctionalInterface
    public interface Recording {
        /** Ends it, and records it if it took longer than its threshold. */
        void finish();
    }
}

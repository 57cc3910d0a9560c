package dev.knitting.fault;

/** A place in the code at which a fault can be made to happen. The side that passes it is in the name. */
public enum FaultPoint {
    /** The worker has mapped its memory and read its configuration. */
    WORKER_ATTACHED(false),
    /** The worker has resolved its tasks and says next that it is ready. */
    WORKER_READY(false),
    /** The worker has seen a message and not entered it: the call never ran. */
    CALL_SEEN(false),
    /** The worker has retired the slot: the call counts as entered. */
    CALL_ENTERED(true),
    /** The argument is decoded, the task's own code comes next. */
    CALL_DECODED(true),
    /** The task has returned or thrown, nothing of it has been written. */
    CALL_RAN(true),
    /** The result lies in the arena, no slot tells of it. */
    RESULT_SPAN_WRITTEN(true),
    /** The result is encoded, its slot comes next. */
    RESULT_ENCODED(true),
    /** Either side has filled a slot whose sequence it has not stored. */
    SLOT_FILLED(true),
    /** The result is published, the host's bell comes next. */
    RESULT_PUBLISHED(false),
    /** The worker has armed its bell and sleeps next. */
    WORKER_ARMED(false),
    /** The worker was woken, or has slept long enough. */
    WORKER_WOKEN(false),
    /** The worker has seen the stop word, or has served as many calls as it may: it serves no more. */
    WORKER_STOPPING(false),
    /** The host has taken a ticket and not published its message. */
    HOST_CLAIMED(false),
    /** The host has published a call, the worker's bell comes next. */
    HOST_PUBLISHED(false),
    /** The host holds a lane's drain lock. */
    HOST_DRAINING(false),
    /** The host has taken results and not settled their calls. */
    HOST_DRAINED(false),
    /** The host has started a worker process that has not answered. */
    HOST_LAUNCHED(false);

    private final boolean running;

    FaultPoint(boolean running) {
        this.running = running;
    }

    /** Whether a call runs, or is entered and not answered, when a worker passes here. */
    public boolean isRunning() {
        return running;
    }

    /** Whether a worker passes here at most once, early or late in its life. */
    public boolean isPassedOnce() {
        return this == WORKER_ATTACHED || this == WORKER_READY || this == WORKER_STOPPING;
    }

    /**
     * Whether the host promises something when its code fails here: where it looks after calls of others nothing may throw.
     */
    public boolean mayThrow() {
        return this == HOST_CLAIMED || this == HOST_LAUNCHED;
    }

    /** Whether workers pass here. */
    public boolean isWorkers() {
        return compareTo(HOST_CLAIMED) < 0;
    }
}

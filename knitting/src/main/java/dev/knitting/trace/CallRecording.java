package dev.knitting.trace;

import java.util.concurrent.atomic.AtomicBoolean;

/** One call on its way into a recording. Not loaded unless calls are recorded. */
public final class CallRecording {
    private final CallEvent event = new CallEvent();
    private final AtomicBoolean settled = new AtomicBoolean();

    CallRecording(String pool, String task) {
        event.pool = pool;
        event.task = task;
        event.begin();
    }

    /**
     * A result came. Before {@link #settled}.
     *
     * @param worker which worker ran it
     * @param micros how long, or a negative number if it did not measure
     */
    public void ran(int worker, int micros) {
        event.worker = worker;
        if (micros >= 0) {
            event.runTime = micros * 1_000L;
        }
    }

    /** The call is settled; the first time counts. */
    public void settled(String outcome) {
        if (settled.compareAndSet(false, true)) {
            event.outcome = outcome;
            event.commit();
        }
    }
}

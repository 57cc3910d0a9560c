package dev.knitting.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** From a worker's start until it accepts calls. */
@Name("dev.knitting.WorkerStart")
@Label("Worker Start")
@Category("Knitting")
@Description("From the start of a worker until it accepts calls")
@StackTrace(false)
final class WorkerStartEvent extends Event implements FlightEvents.Recording {
    @Label("Pool")
    @Nullable
    String pool;

    @Label("Worker")
    @Description("Its index")
    int worker;

    @Label("Incarnation")
    @Description("Counts the starts at this index, from 1")
    int incarnation;

    /** Null if it is not recorded. */
    static FlightEvents.@Nullable Recording begin(String pool, int worker, int incarnation) {
        WorkerStartEvent event = new WorkerStartEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.pool = pool;
        event.worker = worker;
        event.incarnation = incarnation;
        event.begin();
        return event;
    }

    @Override
    public void finish() {
        commit();
    }
}

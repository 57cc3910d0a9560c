package dev.knitting.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A caller sleeps until its result is there, after it has looked for it for a while. */
@Name("dev.knitting.Park")
@Label("Park")
@Category("Knitting")
@Description("A caller sleeps until the result of its call is there")
@Threshold("10 ms")
final class ParkEvent extends Event implements FlightEvents.Recording {
    @Label("Pool")
    @Nullable
    String pool;

    @Label("Task")
    @Nullable
    String task;

    /** Null if it is not recorded. */
    static FlightEvents.@Nullable Recording begin(String pool, Object task) {
        ParkEvent event = new ParkEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.pool = pool;
        event.task = task.toString();
        event.begin();
        return event;
    }

    @Override
    public void finish() {
        commit();
    }
}

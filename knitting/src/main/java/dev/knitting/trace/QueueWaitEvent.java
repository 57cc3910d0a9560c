package dev.knitting.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A submitter waits because the queue in the host is full (policy BLOCK). */
@Name("dev.knitting.QueueWait")
@Label("Queue Wait")
@Category("Knitting")
@Description("A submitter waits because the queue in the host is full")
@Threshold("10 ms")
final class QueueWaitEvent extends Event implements FlightEvents.Recording {
    @Label("Pool")
    @Nullable
    String pool;

    @Label("Task")
    @Nullable
    String task;

    /** Null if it is not recorded. */
    static FlightEvents.@Nullable Recording begin(String pool, Object task) {
        QueueWaitEvent event = new QueueWaitEvent();
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

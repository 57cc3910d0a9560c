package dev.knitting.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The end of a worker. */
@Name("dev.knitting.WorkerEnd")
@Label("Worker End")
@Category("Knitting")
@Description("The end of a worker")
@StackTrace(false)
final class WorkerEndEvent extends Event {
    @Label("Pool")
    @Nullable
    String pool;

    @Label("Worker")
    @Description("Its index")
    int worker;

    @Label("Incarnation")
    @Description("Counts the starts at this index, from 1")
    int incarnation;

    @Label("Reason")
    @Description("A WorkerEnd.Reason, or the error code of a worker that did not get ready")
    @Nullable
    String reason;

    @Label("Details")
    @Description("Exit code, signal, last output")
    @Nullable
    String details;

    static void record(String pool, int worker, int incarnation, String reason, String details) {
        WorkerEndEvent event = new WorkerEndEvent();
        if (event.isEnabled()) {
            event.pool = pool;
            event.worker = worker;
            event.incarnation = incarnation;
            event.reason = reason;
            event.details = details;
            event.commit();
        }
    }
}

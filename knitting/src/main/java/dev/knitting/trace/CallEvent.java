package dev.knitting.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A call from its submission until its outcome was taken, on the thread that took it. */
@Name("dev.knitting.Call")
@Label("Call")
@Category("Knitting")
@Description("A call, from its submission until its outcome was taken")
@Threshold("10 ms")
@StackTrace(false)
final class CallEvent extends Event {
    private static final long NOT_MEASURED = Long.MIN_VALUE;

    @Label("Pool")
    @Nullable
    String pool;

    @Label("Task")
    @Nullable
    String task;

    @Label("Worker")
    @Description("Index of the worker that answered, or -1 if none had")
    int worker = -1;

    @Label("Run Time")
    @Description("As the worker measured it: always for calls of 20 us and more, for each 16th of faster ones")
    @Timespan
    long runTime = NOT_MEASURED;

    @Label("Outcome")
    @Description("OK, CANCELLED, or the code of the failure")
    @Nullable
    String outcome;

    /** A constant until the recorder starts: the event is then not even allocated. */
    static boolean isOn() {
        return new CallEvent().isEnabled();
    }
}

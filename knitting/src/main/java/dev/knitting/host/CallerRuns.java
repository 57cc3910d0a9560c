package dev.knitting.host;

import dev.knitting.KnittingException;
import dev.knitting.TaskFailedException;
import dev.knitting.boot.TaskBody;
import org.jspecify.annotations.Nullable;

/** Runs a call in the host: on the thread that submits it, for want of room in the queue, or on the host's own lane. */
final class CallerRuns {
    /**
     * How a run ended.
     *
     * @param value the result, or the failure
     * @param failed whether it is a failure
     */
    record Ran(@Nullable Object value, boolean failed) {}

    private CallerRuns() {}

    /** Runs the call, whose outcome is there then; false if the host must not run this task. */
    static boolean tryRun(HostCall<?> call) {
        TaskBody body = call.task.bodyOnHost();
        if (body == null) {
            return false;
        }
        Ran ran = run(call, body);
        call.setOutcome(ran.value(), ran.failed());
        call.publishArrival();
        return true;
    }

    /** Runs a call with payloads copied as a worker would get them; never throws. */
    static Ran run(HostCall<?> call, TaskBody body) {
        TaskEntry entry = call.task;
        try {
            Object argument = entry.copies() ? entry.copiedArgument(call.argument, call.callBuffers()) : call.argument;
            Object value;
            try {
                value = body.run(argument);
            } catch (Throwable e) {
                return new Ran(failure(entry, e), true);
            }
            return new Ran(entry.copies() ? entry.copiedResult(value, call.callBuffers()) : value, false);
        } catch (Throwable e) {
            return new Ran(e, true); // what cannot cross, or has no memory left to
        }
    }

    private static RuntimeException failure(TaskEntry entry, Throwable failure) {
        if (entry.copies()) {
            return entry.copiedFailure(failure);
        }
        return failure instanceof KnittingException own
                ? own
                : new TaskFailedException(
                        failure.getClass().getName(), messageOf(failure), failure.getStackTrace(), failure);
    }

    private static @Nullable String messageOf(Throwable failure) {
        try {
            return failure.getMessage();
        } catch (RuntimeException e) {
            return "getMessage threw " + e.getClass().getName();
        }
    }
}

package dev.knitting.host;

import dev.knitting.KnittingException;
import dev.knitting.TaskFailedException;
import dev.knitting.boot.TaskBody;
import org.jspecify.annotations.Nullable;

/** Runs a call on the thread that submits it, for want of room in the queue. */
final class CallerRuns {
    private CallerRuns() {}

    /** Runs the call, whose outcome is there then; false if the host must not run this task. */
    static boolean tryRun(HostCall<?> call) {
        TaskEntry entry = call.task;
        TaskBody body = entry.bodyOnHost();
        if (body == null) {
            return false;
        }
        try {
            Object argument = entry.copies() ? entry.copiedArgument(call.argument, call.callBuffers()) : call.argument;
            Object value;
            try {
                value = body.run(argument);
            } catch (Throwable e) {
                call.setOutcome(failure(entry, e), true);
                return true;
            }
            call.setOutcome(entry.copies() ? entry.copiedResult(value, call.callBuffers()) : value, false);
        } catch (Throwable e) {
            call.setOutcome(e, true); // what cannot cross, or has no memory left to
        } finally {
            call.publishArrival();
        }
        return true;
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

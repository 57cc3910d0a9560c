package dev.knitting.host;

import dev.knitting.TaskOptions;

/** Gives calls their limits: those of the task, and where it states none those of the pool. Any thread. */
final class CallLimits {
    private final TaskOptions defaults;
    private final DeadlineWheel wheel;
    private final Executions executions;

    CallLimits(TaskOptions defaults, DeadlineWheel wheel, Executions executions) {
        this.defaults = defaults;
        this.wheel = wheel;
        this.executions = executions;
    }

    /** Whether there is anything to give; on the way of every call. */
    boolean apply(TaskOptions task) {
        return !task.areNone() || !defaults.areNone();
    }

    /**
     * Gives a new call its limits.
     *
     * @return false if its time is over already: it is settled and must not be submitted
     */
    boolean give(HostCall<?> call, TaskOptions task) {
        return CallDeadlines.give(call, task.orElse(defaults), wheel, executions);
    }
}

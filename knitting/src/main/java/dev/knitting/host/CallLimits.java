package dev.knitting.host;

import dev.knitting.TaskOptions;

/** Gives calls their limits: those of the task, and where it states none those of the pool. Any thread. */
final class CallLimits {
    private final TaskOptions defaults;
    private final DeadlineWheel wheel;
    private final Executions executions;
    private final boolean timesStandStill;

    /**
     * Limits of a pool.
     *
     * @param timesStandStill whether a debugger may hold the workers, so that nothing is ever late
     */
    CallLimits(TaskOptions defaults, DeadlineWheel wheel, Executions executions, boolean timesStandStill) {
        this.defaults = defaults;
        this.wheel = wheel;
        this.executions = executions;
        this.timesStandStill = timesStandStill;
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
        TaskOptions all = task.orElse(defaults);
        return CallDeadlines.give(call, timesStandStill ? all.withoutTimes() : all, wheel, executions);
    }
}

package dev.knitting.boot;

import org.jspecify.annotations.Nullable;

/** A task, ready to run. Any thread. */
public interface TaskBody {
    /**
     * Runs the task.
     *
     * @param argument the argument, or an {@code Object[]} of captured values
     * @return its result
     * @throws Throwable what the task throws
     */
    @Nullable
    Object run(@Nullable Object argument) throws Throwable;
}

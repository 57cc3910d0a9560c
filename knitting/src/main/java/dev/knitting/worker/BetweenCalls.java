package dev.knitting.worker;

import dev.knitting.SharedBuffer;
import dev.knitting.TaskContext;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The context of code that a worker runs outside any call: when it loads a task's class, for instance. */
record BetweenCalls(int workerId) implements TaskContext {
    @Override
    public boolean cancelled() {
        return false;
    }

    @Override
    public void throwIfCancelled() {
        // there is no call that could be cancelled
    }

    @Override
    public Duration remaining() {
        return ChronoUnit.FOREVER.getDuration();
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        throw new IllegalStateException("there is no call that a buffer could belong to");
    }

    @Override
    public void progress(long done, long total, @Nullable String note) {
        // there is no call whose host could listen
    }
}

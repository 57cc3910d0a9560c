package dev.knitting;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The context of code that runs outside any worker: never cancelled, without a deadline. */
enum OutsideContext implements TaskContext {
    INSTANCE;

    @Override
    public int workerId() {
        return -1;
    }

    @Override
    public boolean cancelled() {
        return false;
    }

    @Override
    public void throwIfCancelled() {
        // nobody cancels a plain method
    }

    @Override
    public Duration remaining() {
        return ChronoUnit.FOREVER.getDuration();
    }

    @Override
    public SharedBuffer allocate(long bytes) {
        return PoolBuilder.engine().allocate(bytes);
    }

    @Override
    public void progress(long done, long total, @Nullable String note) {
        // nobody listens
    }
}

package dev.knitting.host;

import dev.knitting.Call;
import org.jspecify.annotations.Nullable;

/** A pool as the stand-ins of its services see it. Any thread. */
interface ServiceCaller {
    /** Submits a call of a service's method. */
    Call<?> submitEntry(TaskEntry entry, @Nullable Object argument);

    /** Runs a call of a service's method and waits for its result, as {@code invoke} does. */
    @Nullable
    Object invokeEntry(TaskEntry entry, @Nullable Object argument);
}

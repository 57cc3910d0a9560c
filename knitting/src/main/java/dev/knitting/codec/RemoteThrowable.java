package dev.knitting.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A throwable as it was read.
 *
 * @param index of its class in the table, or -1
 * @param type binary name of its class
 * @param message its message, or null
 * @param stack its stack
 * @param suppressed what it suppressed
 * @param cause its cause, or null
 */
record RemoteThrowable(
        int index,
        String type,
        @Nullable String message,
        StackTraceElement[] stack,
        List<RemoteThrowable> suppressed,
        @Nullable RemoteThrowable cause) {}

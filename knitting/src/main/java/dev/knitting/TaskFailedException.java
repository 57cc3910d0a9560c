package dev.knitting;

import org.jspecify.annotations.Nullable;

/**
 * A task's own exception, as it was in the worker: its class name, message, stack and causes.
 *
 * <p>The original is the {@linkplain #getCause() cause} when the host may have it: JDK types, types that the task's
 * method declares to throw, and registered ones. Otherwise the cause is the original's own cause in the same form, or
 * null. The stack trace of this exception is the remote one.
 */
public class TaskFailedException extends KnittingException {
    private static final long serialVersionUID = 1L;

    private final String remoteType;
    private final @Nullable String remoteMessage;

    /**
     * A remote failure.
     *
     * @param remoteType binary name of the exception's class in the worker
     * @param remoteMessage its message, or null
     * @param remoteStack its stack in the worker
     * @param cause the original if the host may have it, else the original's cause, or null
     */
    @SuppressWarnings("this-escape") // setStackTrace is not overridden anywhere and only stores
    public TaskFailedException(
            String remoteType,
            @Nullable String remoteMessage,
            StackTraceElement[] remoteStack,
            @Nullable Throwable cause) {
        super(ErrorCode.TASK_FAILED, remoteMessage == null ? remoteType : remoteType + ": " + remoteMessage, cause);
        this.remoteType = remoteType;
        this.remoteMessage = remoteMessage;
        setStackTrace(remoteStack);
    }

    /** Binary name of the exception's class in the worker. */
    public String remoteType() {
        return remoteType;
    }

    /** The exception's own message, or null. */
    public @Nullable String remoteMessage() {
        return remoteMessage;
    }
}

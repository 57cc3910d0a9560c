package dev.knitting;

import org.jspecify.annotations.Nullable;

/**
 * Anything that went wrong other than cancellation: a stable {@link #code()} and a message of the form {@code what
 * failed: name=value, limit=..., option=...}. Unchecked.
 */
public class KnittingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    /**
     * A failure with a cause.
     *
     * @param code what kind of failure
     * @param message what failed, then {@code name=value} pairs
     * @param cause what led to it, or null
     */
    public KnittingException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * A failure without a cause.
     *
     * @param code what kind of failure
     * @param message what failed, then {@code name=value} pairs
     */
    public KnittingException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /**
     * A failure whose message is built from pairs: {@code of(code, "payload too large", "length", 7, "limit", 5)} reads
     * {@code payload too large: length=7, limit=5}.
     *
     * @param code what kind of failure
     * @param what what failed
     * @param pairs names and values in turn
     * @throws IllegalArgumentException if a value is missing
     */
    public static KnittingException of(ErrorCode code, String what, @Nullable Object... pairs) {
        return new KnittingException(code, message(what, pairs));
    }

    /** The message that {@link #of} builds. */
    public static String message(String what, @Nullable Object... pairs) {
        if ((pairs.length & 1) != 0) {
            throw new IllegalArgumentException("a name lacks its value: what=" + what);
        }
        StringBuilder text = new StringBuilder(what);
        for (int i = 0; i < pairs.length; i += 2) {
            text.append(i == 0 ? ": " : ", ").append(pairs[i]).append('=').append(pairs[i + 1]);
        }
        return text.toString();
    }

    /** What kind of failure this is. Stable: programs may decide by it. */
    public final ErrorCode code() {
        return code;
    }
}

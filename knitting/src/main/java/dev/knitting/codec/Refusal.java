package dev.knitting.codec;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value or bytes that the codec refuses, on the way up: each level adds the step that it was taking, so that the path
 * costs nothing until something is wrong. {@link ValueCodec} turns it into a {@link KnittingException}. It has no stack of
 * its own.
 */
final class Refusal extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Longest path in a message, in characters; the middle of a longer one is left out. */
    private static final int MAX_PATH_LENGTH = 240;

    private final ErrorCode code;
    private final String what;
    private final transient @Nullable Object[] pairs;
    private final transient List<String> steps = new ArrayList<>();

    private Refusal(ErrorCode code, String what, @Nullable Throwable cause, @Nullable Object... pairs) {
        super(what, cause, false, false);
        this.code = code;
        this.what = what;
        this.pairs = pairs;
    }

    /** A value that cannot cross. */
    static Refusal unsupported(String what, @Nullable Object... pairs) {
        return new Refusal(ErrorCode.UNSUPPORTED_PAYLOAD, what, null, pairs);
    }

    /** Bytes that no correct peer writes. */
    static Refusal corrupt(String what, @Nullable Object... pairs) {
        return new Refusal(ErrorCode.CORRUPT_PEER, what, null, pairs);
    }

    /** Bytes that a type of the JDK does not take. */
    static Refusal corrupt(Throwable cause, String what, @Nullable Object... pairs) {
        return new Refusal(ErrorCode.CORRUPT_PEER, what, cause, pairs);
    }

    /** Code of the user (accessor, constructor, iterator, codec) threw. */
    static Refusal userCode(Throwable cause, String what, @Nullable Object... pairs) {
        return new Refusal(ErrorCode.UNSUPPORTED_PAYLOAD, what, cause, pairs);
    }

    /** The constructor of a record threw. */
    static Refusal constructor(Throwable thrown, Class<?> record) {
        if (thrown instanceof VirtualMachineError fatal) {
            throw fatal;
        }
        return userCode(
                thrown,
                "constructor of a record threw",
                "type",
                record.getName(),
                "thrown",
                thrown.getClass().getName());
    }

    /** A value that is longer than the cap. */
    static Refusal tooLarge(long length, long limit) {
        return new Refusal(
                ErrorCode.PAYLOAD_TOO_LARGE,
                "payload too large",
                null,
                "length",
                length,
                "limit",
                limit,
                "option",
                "payload.maxBytes");
    }

    /**
     * The same refusal one level up, or a refusal that says that user code threw.
     *
     * @param step what was being written or read, such as {@code .price} or {@code [3]}
     * @throws VirtualMachineError as it is: not the fault of the value
     */
    static Refusal in(Throwable thrown, String step) {
        if (thrown instanceof VirtualMachineError fatal) {
            throw fatal;
        }
        Refusal refusal = thrown instanceof Refusal known
                ? known
                : userCode(
                        thrown,
                        "code of the value's type threw",
                        "thrown",
                        thrown.getClass().getName());
        refusal.steps.add(step);
        return refusal;
    }

    ErrorCode code() {
        return code;
    }

    /**
     * The exception for the caller.
     *
     * @param root what the path starts with
     */
    KnittingException toException(String root) {
        @Nullable Object[] located = new @Nullable Object[pairs.length + 2];
        System.arraycopy(pairs, 0, located, 0, pairs.length);
        located[pairs.length] = "at";
        located[pairs.length + 1] = path(root);
        return new KnittingException(code, KnittingException.message(what, located), getCause());
    }

    private String path(String root) {
        StringBuilder path = new StringBuilder(root);
        for (int i = steps.size() - 1; i >= 0; i--) {
            path.append(steps.get(i));
        }
        if (path.length() > MAX_PATH_LENGTH) {
            int half = MAX_PATH_LENGTH / 2;
            path.replace(half, path.length() - half, " ... ");
        }
        return path.toString();
    }
}

package dev.knitting.host;

import dev.knitting.ContextCarrier;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.boot.ContextBody;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts the submitting thread's context in front of a call's own values. Any thread. */
final class ContextCapture {
    private final ContextCarrier carrier;

    ContextCapture(ContextCarrier carrier) {
        this.carrier = carrier;
    }

    ContextCarrier carrier() {
        return carrier;
    }

    /**
     * The context of the calling thread: names and values in turn, null if there is none.
     *
     * @throws KnittingException if it is too large, has a null in it, or the carrier failed
     */
    String @Nullable [] capture() {
        Map<String, String> context;
        try {
            context = java.util.Objects.requireNonNull(carrier.capture(), "the captured context");
        } catch (RuntimeException e) {
            throw ContextBody.failed(carrier.getClass(), "capture", e);
        }
        if (context.isEmpty()) {
            return null;
        }
        String[] flat = new String[2 * check("entries", context.size(), ContextCarrier.MAX_ENTRIES)];
        int at = 0;
        int chars = 0;
        try {
            for (Map.Entry<String, String> entry : context.entrySet()) {
                chars += entry.getKey().length() + entry.getValue().length();
                flat[at++] = entry.getKey();
                flat[at++] = entry.getValue();
            }
        } catch (RuntimeException e) { // a null, or a map that another thread changes meanwhile
            throw ContextBody.failed(carrier.getClass(), "capture", e);
        }
        check("chars", chars, ContextCarrier.MAX_CHARS);
        return flat;
    }

    /** The call's values with the context in front. */
    static @Nullable Object[] wrap(String @Nullable [] context, TaskEntry entry, @Nullable Object argument) {
        if (!entry.spreads()) {
            return new @Nullable Object[] {context, argument};
        }
        @Nullable Object[] values = (Object[]) java.util.Objects.requireNonNull(argument);
        @Nullable Object[] all = new @Nullable Object[values.length + 1];
        all[0] = context;
        System.arraycopy(values, 0, all, 1, values.length);
        return all;
    }

    private static int check(String what, int size, int most) {
        if (size > most) {
            throw KnittingException.of(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    "the context of a call is too large",
                    what,
                    size,
                    "limit",
                    most,
                    "option",
                    "context");
        }
        return size;
    }
}

package dev.knitting.boot;

import dev.knitting.ContextCarrier;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task whose calls bring a context: their first value is a {@code String[]} of names and values in turn, or null; the
 * task's own argument or captured values follow.
 */
public final class ContextBody implements TaskBody {
    private final TaskBody body;
    private final boolean spread;
    private final @Nullable ContextCarrier carrier;

    /**
     * @param spread whether the task is called with an {@code Object[]} of values
     *
     * @param carrier restores and clears the context; null to ignore it
     */
    public ContextBody(TaskBody body, boolean spread, @Nullable ContextCarrier carrier) {
        this.body = body;
        this.spread = spread;
        this.carrier = carrier;
    }

    @Override
    public @Nullable Object run(@Nullable Object argument) throws Throwable {
        @Nullable Object[] values = (Object[]) java.util.Objects.requireNonNull(argument);
        Object own = spread ? Arrays.copyOfRange(values, 1, values.length) : values[1];
        ContextCarrier around = carrier;
        if (around == null) {
            return body.run(own);
        }
        String[] context = (String[]) values[0];
        try {
            if (context != null) {
                call(around, mapOf(context));
            }
            return body.run(own);
        } finally {
            call(around, null); // also what a task without a context has put there itself
        }
    }

    private static Map<String, String> mapOf(String[] context) {
        Map<String, String> map = LinkedHashMap.newLinkedHashMap(context.length / 2);
        for (int i = 0; i < context.length; i += 2) {
            map.put(context[i], context[i + 1]);
        }
        return map;
    }

    /** Restores this context, or clears without one. */
    private static void call(ContextCarrier carrier, @Nullable Map<String, String> context) {
        try {
            if (context != null) {
                carrier.restore(context);
            } else {
                carrier.clear();
            }
        } catch (RuntimeException e) {
            throw failed(carrier.getClass(), context != null ? "restore" : "clear", e);
        }
    }

    /** The carrier's own exception, told as one. */
    public static KnittingException failed(Class<?> carrier, String method, RuntimeException cause) {
        return new KnittingException(
                ErrorCode.BAD_OPTION,
                KnittingException.message(
                        "the context carrier failed",
                        "class",
                        carrier.getName(),
                        "method",
                        method,
                        "option",
                        "context"),
                cause);
    }
}

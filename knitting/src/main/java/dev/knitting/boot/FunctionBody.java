package dev.knitting.boot;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A task behind a generated function, see {@link BodyAssembler}. */
@SuppressWarnings("NullAway") // the generated function takes and returns null where the task does
record FunctionBody(Function<Object, Object> function) implements TaskBody {
    @Override
    public @Nullable Object run(@Nullable Object argument) {
        return function.apply(argument);
    }
}

package dev.knitting.boot;

import org.jspecify.annotations.Nullable;

/** An action whose method returns something that nobody wants. */
record DroppingBody(TaskBody body) implements TaskBody {
    @Override
    public @Nullable Object run(@Nullable Object argument) throws Throwable {
        body.run(argument);
        return null;
    }
}

package dev.knitting.boot;

import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** A task behind a method handle of type {@code (Object)Object}, or {@code (Object[])Object} for captured values. */
public final class HandleBody implements TaskBody {
    private final MethodHandle handle;
    private final boolean spread;

    /**
     * @param handle exactly of that type
     *
     * @param spread whether it takes captured values
     */
    public HandleBody(MethodHandle handle, boolean spread) {
        this.handle = handle;
        this.spread = spread;
    }

    @Override
    public @Nullable Object run(@Nullable Object argument) throws Throwable {
        return spread ? (Object) handle.invokeExact((Object[]) argument) : (Object) handle.invokeExact(argument);
    }
}

package dev.knitting.boot;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a declared stage type says about the value that it will hold. */
final class StageType {
    private StageType() {}

    /**
     * The type argument of {@link CompletionStage} as this type has it; null if it does not say: then only what always
     * crosses, and what the pool registers, does.
     */
    static @Nullable Type held(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            Class<?> raw = (Class<?>) generic.getRawType();
            if (raw == CompletionStage.class) {
                return arguments[0];
            }
            Type above = heldAbove(raw);
            if (above instanceof TypeVariable<?> variable) {
                TypeVariable<?>[] parameters = raw.getTypeParameters();
                for (int i = 0; i < parameters.length; i++) {
                    if (parameters[i].equals(variable)) {
                        return arguments[i];
                    }
                }
            }
            return above;
        }
        Type above = type instanceof Class<?> raw ? heldAbove(raw) : null;
        return above instanceof TypeVariable<?> ? null : above;
    }

    private static @Nullable Type heldAbove(Class<?> raw) {
        Type superclass = raw.getGenericSuperclass();
        Type found = superclass == null ? null : held(superclass);
        for (Type parent : raw.getGenericInterfaces()) {
            found = found == null ? held(parent) : found;
        }
        return found;
    }
}

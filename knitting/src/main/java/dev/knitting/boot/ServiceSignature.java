package dev.knitting.boot;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The types that a service's method shows, as seen from the service's interface: {@code T get(T)} inherited from {@code
 * Base<Doc>} shows {@code Doc}. Looks at declarations only, in their order, so that host and worker find the same.
 */
final class ServiceSignature {
    private final Map<TypeVariable<?>, Type> bindings = new HashMap<>();
    private final List<Type> found = new ArrayList<>();

    private ServiceSignature() {}

    /** Parameters, result (of an asynchronous method: what its stage yields) and declared exceptions. */
    static List<Type> roots(Class<?> service, Method method) {
        ServiceSignature signature = new ServiceSignature();
        if (method.getDeclaringClass() != service) {
            signature.bindSuperInterfaces(service);
        }
        for (Type parameter : method.getGenericParameterTypes()) {
            signature.add(parameter);
        }
        Type result = method.getGenericReturnType();
        @Nullable Type crossing = isAsync(method) ? StageType.held(result) : result;
        if (crossing != null) {
            signature.add(crossing);
        }
        for (Class<?> exception : method.getExceptionTypes()) {
            signature.add(exception);
        }
        return signature.found;
    }

    /** Whether the method's result is there later. */
    static boolean isAsync(Method method) {
        Class<?> type = method.getReturnType();
        return type == CompletableFuture.class || type == CompletionStage.class;
    }

    private void bindSuperInterfaces(Class<?> type) {
        for (Type parent : type.getGenericInterfaces()) {
            if (parent instanceof ParameterizedType parameterized) {
                Class<?> raw = (Class<?>) parameterized.getRawType();
                TypeVariable<?>[] variables = raw.getTypeParameters();
                for (int i = 0; i < variables.length; i++) {
                    bindings.put(variables[i], parameterized.getActualTypeArguments()[i]);
                }
                bindSuperInterfaces(raw);
            } else {
                bindSuperInterfaces((Class<?>) parent);
            }
        }
    }

    private void add(Type type) {
        if (bindings.isEmpty() || type instanceof Class<?>) {
            found.add(type);
        } else if (type instanceof ParameterizedType parameterized) {
            add(parameterized.getRawType());
            addEach(parameterized.getActualTypeArguments());
        } else if (type instanceof GenericArrayType array) {
            add(array.getGenericComponentType());
        } else if (type instanceof WildcardType wildcard) {
            addEach(wildcard.getUpperBounds());
        } else {
            @Nullable Type bound = type instanceof TypeVariable<?> ? bindings.get(type) : null;
            if (bound == null || bound.equals(type)) {
                found.add(type);
            } else {
                add(bound);
            }
        }
    }

    private void addEach(Type[] types) {
        for (Type type : types) {
            add(type);
        }
    }
}

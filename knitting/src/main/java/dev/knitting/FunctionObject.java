package dev.knitting;

import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Objects of classes that implement one of {@link Task}'s functions and have no fields: what compilers of other languages,
 * and older ones, make of a lambda. A worker makes its own: by a static field that holds the only one ({@code INSTANCE},
 * {@code MODULE$}), or by a constructor without parameters.
 */
public final class FunctionObject {
    private static final List<String> ONLY_INSTANCE = List.of("INSTANCE", "MODULE$");

    /** Each of the functions: name of its method, number of its parameters. */
    private static final Map<Class<?>, Map.Entry<String, Integer>> METHODS = Map.of(
            Task.Function.class, Map.entry("apply", 1),
            Task.Source.class, Map.entry("get", 0),
            Task.Action.class, Map.entry("run", 1),
            Task.Command.class, Map.entry("run", 0),
            Task.AsyncFunction.class, Map.entry("apply", 1),
            Task.AsyncSource.class, Map.entry("get", 0));

    private FunctionObject() {}

    /** Whether objects of this class are such. */
    public static boolean isOne(Class<?> type) {
        return !type.isHidden() && stateOf(type) == null && isMade(type) && methodOf(type) != null;
    }

    /**
     * The method that objects of this class stand for, with the types that it declares.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} saying what is wrong with it
     */
    public static TaskTarget target(Class<?> type) {
        Field state = stateOf(type);
        if (state != null) {
            throw LambdaTarget.notALambda(
                    type, "it has a field: " + state.getType().getName() + " " + state.getName(), null);
        }
        if (!isMade(type)) {
            throw LambdaTarget.notALambda(type, "no constructor without parameters", null);
        }
        Method method = methodOf(type);
        if (method == null) {
            throw LambdaTarget.notALambda(type, "it implements none of Task's functions", null);
        }
        return new TaskTarget(
                TaskTarget.Kind.FUNCTION,
                type.getName(),
                method.getName(),
                MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .descriptorString());
    }

    private static @Nullable Field stateOf(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    return field;
                }
            }
        }
        return null;
    }

    private static boolean isMade(Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            if (isOnlyInstance(field, type)) {
                return true;
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (constructor.getParameterCount() == 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOnlyInstance(Field field, Class<?> type) {
        return Modifier.isStatic(field.getModifiers())
                && field.getType() == type
                && ONLY_INSTANCE.contains(field.getName());
    }

    /** The class's own method rather than the bridge that the compiler put beside it: it shows the types. */
    private static @Nullable Method methodOf(Class<?> type) {
        for (Map.Entry<Class<?>, Map.Entry<String, Integer>> known : METHODS.entrySet()) {
            if (known.getKey().isAssignableFrom(type)) {
                for (Method method : type.getDeclaredMethods()) {
                    if (!method.isBridge()
                            && !Modifier.isStatic(method.getModifiers())
                            && method.getName().equals(known.getValue().getKey())
                            && method.getParameterCount() == known.getValue().getValue()) {
                        return method;
                    }
                }
            }
        }
        return null;
    }

    /**
     * The object that a worker calls. Initialises the class.
     *
     * @param type the class of the function
     * @throws ReflectiveOperationException if it has neither the field nor the constructor, or does not let this module in
     */
    public static Object make(Class<?> type) throws ReflectiveOperationException {
        for (Field field : type.getDeclaredFields()) {
            if (isOnlyInstance(field, type)) {
                field.setAccessible(true);
                Object only = field.get(null);
                if (only != null) {
                    return only;
                }
            }
        }
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }
}

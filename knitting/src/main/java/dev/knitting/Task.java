package dev.knitting;

import java.io.Serializable;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A named function: what a pool can run in another thread or process. Immutable, usually a constant.
 *
 * <p>The target is a static method of any visibility, a constructor, an unbound instance method ({@code String::trim})
 * or a lambda without captures; it may throw checked exceptions. Only its name crosses: the worker loads the class
 * itself.
 *
 * @param <A> the argument's type; {@link Void} if there is none
 * @param <R> the result's type
 */
public final class Task<A extends @Nullable Object, R extends @Nullable Object> {
    /** Found when first asked for: a worker that initialises the class of its task does not ask. */
    private volatile @Nullable TaskTarget target;

    private final int parameterCount;
    private final @Nullable Function<A, R> function;
    private final @Nullable Source<R> source;

    private Task(
            @Nullable TaskTarget target,
            @Nullable Function<A, R> function,
            @Nullable Source<R> source,
            int parameterCount) {
        this.target = target;
        this.function = function;
        this.source = source;
        this.parameterCount = parameterCount;
    }

    /**
     * A task with one argument.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <A extends @Nullable Object, R extends @Nullable Object> Task<A, R> of(Function<A, R> function) {
        Objects.requireNonNull(function, "function");
        LambdaTarget.requireNoCaptures(function);
        return new Task<>(null, function, null, 1);
    }

    /**
     * A task without an argument.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <R extends @Nullable Object> Task<Void, R> of(Source<R> source) {
        Objects.requireNonNull(source, "source");
        LambdaTarget.requireNoCaptures(source);
        return new Task<>(null, null, source, 0);
    }

    /**
     * A task whose class the host never initialises: it only looks at the method's signature.
     *
     * @param className binary name of the class
     * @param methodName name of a static method
     * @param argument the parameter's type, {@code void.class} if there is none; primitives as {@code long.class}
     * @param result the result's type, {@code void.class} if there is none
     */
    public static <A extends @Nullable Object, R extends @Nullable Object> Task<A, R> named(
            String className, String methodName, Class<?> argument, Class<?> result) {
        MethodTypeDesc type = argument == void.class
                ? MethodTypeDesc.of(descriptorOf(result))
                : MethodTypeDesc.of(descriptorOf(result), descriptorOf(argument));
        TaskTarget target = new TaskTarget(TaskTarget.Kind.STATIC, className, methodName, type.descriptorString());
        return new Task<>(target, null, null, argument == void.class ? 0 : 1);
    }

    private static ClassDesc descriptorOf(Class<?> type) {
        return ClassDesc.ofDescriptor(type.descriptorString());
    }

    /**
     * Which method this task names.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function is an object that is no lambda and no method
     *     reference
     */
    public TaskTarget target() {
        TaskTarget known = target;
        if (known == null) {
            Serializable lambda = function != null ? function : Objects.requireNonNull(source);
            known = LambdaTarget.target(LambdaTarget.serializedForm(lambda));
            target = known;
        }
        return known;
    }

    /** How many arguments the task takes: 0 or 1. */
    public int parameterCount() {
        return parameterCount;
    }

    /** Whether the host holds the function itself, and not its name only. */
    public boolean isOnHost() {
        return function != null || source != null;
    }

    /** Where the function's classes come from; null if the host holds only the name. */
    public @Nullable ClassLoader loader() {
        if (function != null) {
            return function.getClass().getClassLoader();
        }
        return source != null ? source.getClass().getClassLoader() : null;
    }

    /**
     * Runs the function on the calling thread; for thread workers and direct pools.
     *
     * @throws IllegalStateException if the host holds only the name
     * @throws Exception what the function throws
     */
    public R apply(A argument) throws Exception {
        if (function != null) {
            return function.apply(argument);
        }
        if (source != null) {
            return source.get();
        }
        throw new IllegalStateException("the host holds only the task's name: task=" + target);
    }

    @Override
    public String toString() {
        return target().toString();
    }

    /**
     * A function of one argument that can name itself.
     *
     * @param <A> the argument's type
     * @param <R> the result's type
     */
    @FunctionalInterface
    public interface Function<A extends @Nullable Object, R extends @Nullable Object> extends Serializable {
        /**
         * Runs.
         *
         * @throws Exception whatever the task throws
         */
        R apply(A argument) throws Exception;
    }

    /**
     * A function without arguments that can name itself. As a call ({@code pool.submit(() -> square(2))}) what the
     * lambda captures are the arguments.
     *
     * @param <R> the result's type
     */
    @FunctionalInterface
    public interface Source<R extends @Nullable Object> extends Serializable {
        /**
         * Runs.
         *
         * @throws Exception whatever the task throws
         */
        R get() throws Exception;
    }
}

package dev.knitting;

import java.io.Serializable;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A named function: what a pool can run in another thread or process. Immutable, usually a constant.
 *
 * <p>The target is a static method of any visibility, a constructor, an unbound instance method ({@code String::trim})
 * or a lambda without captures; it may throw checked exceptions. Only its name crosses: the worker loads the class
 * itself. A function object without fields and with a constructor without parameters does as well.
 *
 * @param <A> the argument's type; {@link Void} if there is none
 * @param <R> the result's type
 */
public final class Task<A extends @Nullable Object, R extends @Nullable Object> {
    /** Found when first asked for: a worker that initialises the class of its task does not ask. */
    private volatile @Nullable TaskTarget target;

    private final int parameterCount;
    private final Form form;
    /** What the user wrote; null if the host holds only the name. */
    private final @Nullable Serializable origin;
    /** The origin as a function of one argument, or null. Of an async task: it returns the stage. */
    private final @Nullable Function<A, ?> function;
    /** The origin as a function without arguments, or null. Of an async task: it returns the stage. */
    private final @Nullable Source<?> source;
    /** The task without options: pools know it by this one, whatever its options. */
    private final Task<A, R> root;

    private final TaskOptions options;

    private Task(
            @Nullable TaskTarget target,
            Form form,
            @Nullable Serializable origin,
            @Nullable Function<A, ?> function,
            @Nullable Source<?> source,
            int parameterCount) {
        this.target = target;
        this.form = form;
        this.origin = origin;
        this.function = function;
        this.source = source;
        this.parameterCount = parameterCount;
        this.root = this;
        this.options = TaskOptions.NONE;
    }

    private Task(Task<A, R> root, TaskOptions options) {
        this.target = null;
        this.form = root.form;
        this.origin = root.origin;
        this.function = root.function;
        this.source = root.source;
        this.parameterCount = root.parameterCount;
        this.root = root;
        this.options = options;
    }

    /**
     * A task with one argument.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <A extends @Nullable Object, R extends @Nullable Object> Task<A, R> of(Function<A, R> function) {
        Objects.requireNonNull(function, "function");
        LambdaTarget.requireNoCaptures(function);
        return new Task<>(null, Form.VALUE, function, function, null, 1);
    }

    /**
     * A task without an argument.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <R extends @Nullable Object> Task<Void, R> of(Source<R> source) {
        Objects.requireNonNull(source, "source");
        LambdaTarget.requireNoCaptures(source);
        return new Task<>(null, Form.VALUE, source, null, source, 0);
    }

    /**
     * A task with one argument that gives no result: a void method, or one whose result is not wanted.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <A extends @Nullable Object> Task<A, Void> action(Action<A> action) {
        Objects.requireNonNull(action, "action");
        LambdaTarget.requireNoCaptures(action);
        return new Task<>(null, Form.ACTION, action, new ActionFunction<>(action), null, 1);
    }

    /**
     * A task without an argument that gives no result. As {@link #action(Action)}.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static Task<Void, Void> action(Command command) {
        Objects.requireNonNull(command, "command");
        LambdaTarget.requireNoCaptures(command);
        return new Task<>(null, Form.ACTION, command, null, new CommandSource(command), 0);
    }

    /**
     * A task that returns a stage: its worker goes on with other calls and answers when the stage completes. A failed
     * stage is the task's failure; null in place of a stage too.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <A extends @Nullable Object, R extends @Nullable Object> Task<A, R> async(
            AsyncFunction<A, R> function) {
        Objects.requireNonNull(function, "function");
        LambdaTarget.requireNoCaptures(function);
        return new Task<>(null, Form.ASYNC, function, new StageFunction<>(function), null, 1);
    }

    /**
     * A task without an argument that returns a stage. As {@link #async(AsyncFunction)}.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function captures anything, such as {@code this}
     */
    public static <R extends @Nullable Object> Task<Void, R> async(AsyncSource<R> source) {
        Objects.requireNonNull(source, "source");
        LambdaTarget.requireNoCaptures(source);
        return new Task<>(null, Form.ASYNC, source, null, new StageSource<>(source), 0);
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
        return new Task<>(target, Form.VALUE, null, null, null, argument == void.class ? 0 : 1);
    }

    private static ClassDesc descriptorOf(Class<?> type) {
        return ClassDesc.ofDescriptor(type.descriptorString());
    }

    // ---- options: each method gives another task, this one stays as it is

    /**
     * Limits the time from submission, queue included. A call that takes longer fails with {@link ErrorCode#TIMEOUT}, and
     * its work is stopped as by {@code cancel(true)}.
     *
     * @param limit zero or more; zero fails every call without running it
     */
    public Task<A, R> timeout(Duration limit) {
        return with(options.withTimeout(Objects.requireNonNull(limit, "limit"), new TaskOptions.OnTimeout.Fail()));
    }

    /** As {@link #timeout(Duration)}, but a call that takes longer succeeds with a value, which may be null. */
    public Task<A, R> timeout(Duration limit, R fallback) {
        return with(options.withTimeout(
                Objects.requireNonNull(limit, "limit"), new TaskOptions.OnTimeout.Fallback(fallback)));
    }

    /**
     * As {@link #timeout(Duration)}, but a call that takes longer fails with an exception of yours.
     *
     * @param error makes it, on a thread of the pool, once for each call that takes longer
     */
    public Task<A, R> timeoutError(Duration limit, Supplier<? extends RuntimeException> error) {
        return with(options.withTimeout(
                Objects.requireNonNull(limit, "limit"),
                new TaskOptions.OnTimeout.Failure(Objects.requireNonNull(error, "error"))));
    }

    /**
     * Limits the time from the start of the run. A call that takes longer fails with {@link ErrorCode#HARD_TIMEOUT} and
     * its worker is killed and replaced; calls that only waited for that worker run elsewhere. A thread cannot be killed:
     * it is interrupted, then left behind and reported.
     *
     * @param limit more than zero
     */
    public Task<A, R> hardTimeout(Duration limit) {
        return with(options.withHardTimeout(Objects.requireNonNull(limit, "limit")));
    }

    /**
     * How long a cancelled or timed-out call may go on running before its worker is killed as by a {@linkplain
     * #hardTimeout hard timeout}. Without it such a call may go on for ever.
     *
     * @param grace zero or more
     */
    public Task<A, R> killAfter(Duration grace) {
        return with(options.withKillAfter(Objects.requireNonNull(grace, "grace")));
    }

    /**
     * Says that a call may run again when its worker ends under it (crash, exit, memory), so often at most. Without it such
     * a call fails, since it may have had its effects. A call that a worker has not entered runs elsewhere in any case.
     *
     * @param times 0 to {@value TaskOptions#MAX_RETRIES}
     */
    public Task<A, R> retryOnCrash(int times) {
        return with(options.withRetriesOnCrash(times));
    }

    private Task<A, R> with(TaskOptions changed) {
        return new Task<>(root, changed);
    }

    /** The limits of this task's calls. */
    public TaskOptions options() {
        return options;
    }

    /** The same function without options. For the engine: tasks that differ in options only are one task to a pool. */
    public Task<A, R> withoutOptions() {
        return root;
    }

    /**
     * Which method this task names.
     *
     * @throws KnittingException {@link ErrorCode#BAD_TASK} if the function is an object that has state
     */
    public TaskTarget target() {
        if (root != this) {
            return root.target();
        }
        TaskTarget known = target;
        if (known == null) {
            known = LambdaTarget.targetOf(Objects.requireNonNull(origin));
            target = known;
        }
        return known;
    }

    /** How many arguments the task takes: 0 or 1. */
    public int parameterCount() {
        return parameterCount;
    }

    /** How the task gives its result. */
    public Form form() {
        return form;
    }

    /** Whether the host holds the function itself, and not its name only. */
    public boolean isOnHost() {
        return origin != null;
    }

    /** Where the function's classes come from; null if the host holds only the name. */
    public @Nullable ClassLoader loader() {
        return origin == null ? null : origin.getClass().getClassLoader();
    }

    /**
     * Runs the function on the calling thread, without any pool. Waits for the stage of an async task.
     *
     * @throws IllegalStateException if the host holds only the name
     * @throws Exception what the function throws, or its stage failed with
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // the types were checked where the task was made
    public R apply(A argument) throws Exception {
        Object value = run(argument);
        if (form != Form.ASYNC) {
            return (R) value;
        }
        try {
            return (R) ((CompletionStage<?>) Objects.requireNonNull(value, "the task returned no stage"))
                    .toCompletableFuture()
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /**
     * Runs the function on the calling thread; for the engine.
     *
     * @return its result; null for an action, the stage (or null) for an async task
     * @throws IllegalStateException if the host holds only the name
     * @throws Exception what the function throws
     */
    public @Nullable Object run(A argument) throws Exception {
        if (function != null) {
            return function.apply(argument);
        }
        if (source != null) {
            return source.get();
        }
        throw new IllegalStateException("the host holds only the task's name: task=" + target);
    }

    /**
     * This task with its argument: a {@link Callable} that {@link Pool#asExecutor()} takes, whatever the pool.
     *
     * @param argument what the task is called with
     */
    public Bound<A, R> bind(A argument) {
        return new Bound<>(this, argument);
    }

    @Override
    public String toString() {
        return target().toString();
    }

    /**
     * A task with its argument, for executors.
     *
     * @param task what to run
     * @param argument what it is called with
     */
    public record Bound<A extends @Nullable Object, R extends @Nullable Object>(Task<A, R> task, A argument)
            implements Callable<R> {
        /** Runs the task here, without any pool; as {@link Task#apply}. */
        @Override
        public R call() throws Exception {
            return task.apply(argument);
        }

        /** For {@code execute}: the result is dropped. */
        public BoundRunnable toRunnable() {
            return new BoundRunnable(this);
        }
    }

    /**
     * A task with its argument as a {@link Runnable}, see {@link Bound#toRunnable}.
     *
     * @param bound the task and its argument
     */
    public record BoundRunnable(Bound<?, ?> bound) implements Runnable {
        /** Runs the task here, without any pool. Checked exceptions come as the cause of a {@link CompletionException}. */
        @Override
        public void run() {
            try {
                bound.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        }
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
     * lambda captures are the arguments. Also a {@link Callable}, so that executors take it.
     *
     * @param <R> the result's type
     */
    @FunctionalInterface
    public interface Source<R extends @Nullable Object> extends Callable<R>, Serializable {
        /**
         * Runs.
         *
         * @throws Exception whatever the task throws
         */
        R get() throws Exception;

        /** As {@link #get}. */
        @Override
        default R call() throws Exception {
            return get();
        }
    }

    /** How a task gives its result. */
    public enum Form {
        /** It returns it. */
        VALUE,
        /** It gives none: what the method returns is dropped. */
        ACTION,
        /** It returns a stage that will have it. */
        ASYNC
    }

    /**
     * A function of one argument and no result that can name itself.
     *
     * @param <A> the argument's type
     */
    @FunctionalInterface
    public interface Action<A extends @Nullable Object> extends Serializable {
        /**
         * Runs.
         *
         * @throws Exception whatever the task throws
         */
        void run(A argument) throws Exception;
    }

    /** A function without arguments and result that can name itself. */
    @FunctionalInterface
    public interface Command extends Serializable {
        /**
         * Runs.
         *
         * @throws Exception whatever the task throws
         */
        void run() throws Exception;
    }

    /**
     * A function of one argument that returns a stage and can name itself.
     *
     * @param <A> the argument's type
     * @param <R> the type of what the stage will hold
     */
    @FunctionalInterface
    public interface AsyncFunction<A extends @Nullable Object, R extends @Nullable Object> extends Serializable {
        /**
         * Begins.
         *
         * @return completes with the result, on any thread
         * @throws Exception whatever the task throws
         */
        CompletionStage<R> apply(A argument) throws Exception;
    }

    /**
     * A function without arguments that returns a stage and can name itself.
     *
     * @param <R> the type of what the stage will hold
     */
    @FunctionalInterface
    public interface AsyncSource<R extends @Nullable Object> extends Serializable {
        /**
         * Begins.
         *
         * @return completes with the result, on any thread
         * @throws Exception whatever the task throws
         */
        CompletionStage<R> get() throws Exception;
    }

    private record ActionFunction<A extends @Nullable Object>(Action<A> action) implements Function<A, @Nullable Void> {
        @Override
        @SuppressWarnings("NullAway") // a Void is null
        public @Nullable Void apply(A argument) throws Exception {
            action.run(argument);
            return null;
        }
    }

    private record CommandSource(Command command) implements Source<@Nullable Void> {
        @Override
        @SuppressWarnings("NullAway") // a Void is null
        public @Nullable Void get() throws Exception {
            command.run();
            return null;
        }
    }

    private record StageFunction<A extends @Nullable Object, R extends @Nullable Object>(AsyncFunction<A, R> function)
            implements Function<A, CompletionStage<R>> {
        @Override
        public CompletionStage<R> apply(A argument) throws Exception {
            return function.apply(argument);
        }
    }

    private record StageSource<R extends @Nullable Object>(AsyncSource<R> source)
            implements Source<CompletionStage<R>> {
        @Override
        public CompletionStage<R> get() throws Exception {
            return source.get();
        }
    }
}

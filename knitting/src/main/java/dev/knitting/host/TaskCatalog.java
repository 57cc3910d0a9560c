package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import dev.knitting.boot.BoundTask;
import dev.knitting.boot.TaskBody;
import dev.knitting.boot.TaskDescription;
import dev.knitting.boot.TaskMethod;
import dev.knitting.boot.TaskResolver;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one pool: numbers them, announces them, and knows the codec of each. Also answers thread workers, which
 * share the host's classes.
 */
final class TaskCatalog implements TaskResolver {
    /** A lambda's method, seen from one class loader. */
    private record LambdaKey(TaskTarget target, @Nullable ClassLoader loader) {}

    private final PoolOptions options;
    private final boolean byReference;
    private final ToIntFunction<byte[]> announcer;
    private final List<PayloadCodec<?>> codecs;
    private final ConcurrentHashMap<Task<?, ?>, TaskEntry> tasks = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<LambdaKey, TaskEntry> lambdas = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<BoundTask> bound = new CopyOnWriteArrayList<>();
    /** Of the bound tasks. */
    private final CopyOnWriteArrayList<String> names = new CopyOnWriteArrayList<>();

    /** The task asked for last: most pools run few tasks. Any recent value does. */
    private @Nullable TaskEntry last;

    TaskCatalog(PoolOptions options, boolean byReference, ToIntFunction<byte[]> announcer) {
        this.options = options;
        this.byReference = byReference;
        this.announcer = announcer;
        this.codecs = instantiate(options.codecs());
    }

    private static List<PayloadCodec<?>> instantiate(List<Class<? extends PayloadCodec<?>>> types) {
        List<PayloadCodec<?>> made = new ArrayList<>();
        for (Class<? extends PayloadCodec<?>> type : types) {
            try {
                made.add(type.getConstructor().newInstance());
            } catch (ReflectiveOperationException e) {
                throw new KnittingException(
                        ErrorCode.BAD_OPTION,
                        KnittingException.message(
                                "a codec needs a public constructor without parameters",
                                "option",
                                "codec",
                                "value",
                                type.getName()),
                        e);
            }
        }
        return made;
    }

    /**
     * The entry of a task, announced at its first use.
     *
     * @throws KnittingException if its signature cannot be looked at, or there are too many tasks
     */
    TaskEntry entry(Task<?, ?> task) {
        TaskEntry recent = last;
        if (recent != null && recent.task() == task) {
            return recent;
        }
        TaskEntry entry = tasks.get(task);
        if (entry == null) {
            entry = tasks.computeIfAbsent(task, this::announce);
        }
        last = entry;
        return entry;
    }

    /** The entry of a lambda's method, announced at its first use. */
    TaskEntry lambdaEntry(TaskTarget target, @Nullable ClassLoader loader) {
        return lambdas.computeIfAbsent(new LambdaKey(target, loader), this::announceLambda);
    }

    private TaskEntry announce(Task<?, ?> task) {
        TaskTarget target = task.target();
        if (byReference && task.isOnHost()) {
            TaskBody body = new FunctionBody(task);
            return register(target, task, false, null, body, 0);
        }
        ClassLoader loader = loaderOf(task);
        List<Type> roots = task.isOnHost()
                ? TaskMethod.find(target, loader).roots(task.form())
                : TaskMethod.rootsOfDescriptor(target, loader);
        TypeTable types = TypeTable.of(roots, options.registered(), codecs);
        ValueCodec codec = new ValueCodec(types, options.payload().maxBytes());
        TaskBody body = isThreads() ? threadBody(task, loader) : null;
        return register(target, task, false, codec, body, types.fingerprint());
    }

    private static TaskBody threadBody(Task<?, ?> task, @Nullable ClassLoader loader) {
        return task.isOnHost()
                ? new FunctionBody(task)
                : TaskMethod.find(task.target(), loader).body(false, task.form());
    }

    private TaskEntry announceLambda(LambdaKey key) {
        if (byReference) {
            return register(key.target(), null, false, null, new SourceBody(), 0);
        }
        TaskMethod method = TaskMethod.find(key.target(), key.loader());
        TypeTable types = TypeTable.of(method.roots(Task.Form.VALUE), options.registered(), codecs);
        ValueCodec codec = new ValueCodec(types, options.payload().maxBytes());
        TaskBody body = isThreads() ? method.body(true, Task.Form.VALUE) : null;
        return register(key.target(), null, true, codec, body, types.fingerprint());
    }

    private synchronized TaskEntry register(
            TaskTarget target,
            @Nullable Task<?, ?> task,
            boolean tuple,
            @Nullable ValueCodec codec,
            @Nullable TaskBody body,
            int fingerprint) {
        Task.Form form = task == null ? Task.Form.VALUE : task.form();
        int id = announcer.applyAsInt(
                new TaskDescription(target, form, tuple, task != null && !task.isOnHost(), fingerprint).toBytes());
        if (body != null) {
            names.add(target.toString());
            bound.add(new BoundTask(body, codec, form == Task.Form.ASYNC));
        }
        return new TaskEntry(id, target, task, tuple, codec);
    }

    private boolean isThreads() {
        return options.isolation() == dev.knitting.Isolation.THREADS;
    }

    private static @Nullable ClassLoader loaderOf(Task<?, ?> task) {
        ClassLoader own = task.loader();
        return own != null ? own : Thread.currentThread().getContextClassLoader();
    }

    @Override
    public BoundTask resolve(int id) {
        return bound.get(id);
    }

    @Override
    public int count() {
        return bound.size();
    }

    @Override
    public String describe(int id) {
        return names.get(id);
    }

    /** A task whose function the host holds. */
    private record FunctionBody(Task<?, ?> task) implements TaskBody {
        @Override
        @SuppressWarnings({"unchecked", "NullAway"}) // the argument is what the caller passed for this parameter
        public @Nullable Object run(@Nullable Object argument) throws Throwable {
            return ((Task<@Nullable Object, @Nullable Object>) task).run(argument);
        }
    }

    /** A lambda that travels by reference: it is its own argument. */
    private record SourceBody() implements TaskBody {
        @Override
        public @Nullable Object run(@Nullable Object argument) throws Throwable {
            return ((Task.Source<?>) java.util.Objects.requireNonNull(argument)).get();
        }
    }
}

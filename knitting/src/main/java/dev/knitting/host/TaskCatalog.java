package dev.knitting.host;

import dev.knitting.CodeOptions;
import dev.knitting.ContextCarrier;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import dev.knitting.PoolOptions;
import dev.knitting.Sandbox;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import dev.knitting.boot.BoundTask;
import dev.knitting.boot.ContextBody;
import dev.knitting.boot.ServiceObjects;
import dev.knitting.boot.StartHook;
import dev.knitting.boot.TaskBody;
import dev.knitting.boot.TaskDescription;
import dev.knitting.boot.TaskMethod;
import dev.knitting.boot.TaskResolver;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one pool: numbers them, announces them, and knows the codec of each. Also answers thread workers, which
 * share the host's classes.
 */
final class TaskCatalog {
    /** How a thread worker comes to a task's body: a service's method needs that worker's own object. */
    private interface LocalTask {
        TaskBody body(ServiceObjects services);
    }

    private record LocalEntry(
            TaskTarget target,
            LocalTask task,
            boolean spread,
            @Nullable ValueCodec codec,
            boolean async) {}

    /** A lambda's method, seen from one class loader. */
    private record LambdaKey(TaskTarget target, @Nullable ClassLoader loader) {}

    /** For the description of a task that is no service's method. */
    private static final String NO_SERVICE = "";

    private final PoolOptions options;
    private final boolean byReference;
    private final boolean inThreads;
    private final ToIntFunction<byte[]> announcer;
    private final List<PayloadCodec<?>> codecs;
    private final @Nullable ContextCapture context;
    private final ConcurrentHashMap<Task<?, ?>, TaskEntry> tasks = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<LambdaKey, TaskEntry> lambdas = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<LocalEntry> local = new CopyOnWriteArrayList<>();
    /** The task asked for last: most pools run few tasks. Any recent value does. */
    private @Nullable TaskEntry last;

    TaskCatalog(PoolOptions options, boolean byReference, ToIntFunction<byte[]> announcer) {
        this(options, byReference, options.isolation() == Isolation.THREADS, true, announcer);
    }

    /** For a pool that runs its tasks on the threads that call it, whatever the options say, with payloads copied. */
    static TaskCatalog local(PoolOptions options, ToIntFunction<byte[]> announcer) {
        return new TaskCatalog(options, false, true, false, announcer);
    }

    private TaskCatalog(
            PoolOptions options,
            boolean byReference,
            boolean inThreads,
            boolean carriesContext,
            ToIntFunction<byte[]> announcer) {
        this.options = options;
        this.byReference = byReference;
        this.inThreads = inThreads;
        this.announcer = announcer;
        this.codecs = instantiate(options.codecs());
        Class<? extends ContextCarrier> carrier = options.code().context();
        this.context = carrier == null || !carriesContext ? null : new ContextCapture(instantiate(carrier, "context"));
    }

    private static List<PayloadCodec<?>> instantiate(List<Class<? extends PayloadCodec<?>>> types) {
        List<PayloadCodec<?>> made = new ArrayList<>();
        for (Class<? extends PayloadCodec<?>> type : types) {
            made.add(instantiate(type, "codec"));
        }
        return made;
    }

    private static <T> T instantiate(Class<? extends T> type, String option) {
        try {
            Constructor<? extends T> constructor = type.getConstructor();
            constructor.setAccessible(true); // the class itself need not be public
            return constructor.newInstance();
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new KnittingException(
                    ErrorCode.BAD_OPTION,
                    KnittingException.message(
                            "needs a public constructor without parameters", "option", option, "value", type.getName()),
                    e);
        }
    }

    /** Whether arguments and results are handed over, not copied. */
    boolean isByReference() {
        return byReference;
    }

    /** Captures what calls bring beside their values, or null. */
    @Nullable
    ContextCapture context() {
        return context;
    }

    /**
     * The entry of a task, announced at its first use; whatever its options, it is one.
     *
     * @throws KnittingException if its signature cannot be looked at, or there are too many tasks
     */
    TaskEntry entry(Task<?, ?> asked) {
        Task<?, ?> task = asked.withoutOptions();
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

    /** The entry of a service's method. */
    TaskEntry serviceEntry(Class<?> service, Method method, String implementation) {
        TaskTarget target = new TaskTarget(
                TaskTarget.Kind.SERVICE,
                service.getName(),
                method.getName(),
                MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .descriptorString());
        ClassLoader loader = service.getClassLoader();
        TaskMethod found = TaskMethod.find(target, loader);
        Task.Form form = TaskMethod.formOfService(method);
        boolean tuple = method.getParameterCount() > 1;
        LocalTask body = services -> found.serviceBody(services, implementation, loader, tuple);
        if (byReference) {
            return register(target, null, form, tuple, null, body, 0, implementation, null, null);
        }
        TypeTable types = TypeTable.of(found.roots(form), options.registered(), codecs);
        ValueCodec codec = new ValueCodec(types, options.payload().maxBytes());
        return register(
                target,
                null,
                form,
                tuple,
                codec,
                inThreads ? body : null,
                types.fingerprint(),
                implementation,
                null,
                method.getReturnType());
    }

    private TaskEntry announce(Task<?, ?> task) {
        TaskTarget target = task.target();
        if (byReference && task.isOnHost()) {
            TaskBody body = new FunctionBody(task);
            return register(target, task, task.form(), false, null, services -> body, 0, NO_SERVICE, () -> body, null);
        }
        ClassLoader loader = loaderOf(task);
        List<Type> roots = task.isOnHost()
                ? TaskMethod.find(target, loader).roots(task.form())
                : TaskMethod.rootsOfDescriptor(target, loader);
        TypeTable types = TypeTable.of(roots, options.registered(), codecs);
        ValueCodec codec = new ValueCodec(types, options.payload().maxBytes());
        LocalTask local = null;
        if (inThreads) {
            TaskBody body = threadBody(task, loader);
            local = services -> body;
        }
        Supplier<TaskBody> onHost = task.isOnHost() ? () -> new FunctionBody(task) : null;
        return register(
                target,
                task,
                task.form(),
                false,
                codec,
                local,
                types.fingerprint(),
                NO_SERVICE,
                onHost,
                TaskMethod.resultOf(target, loader));
    }

    private static TaskBody threadBody(Task<?, ?> task, @Nullable ClassLoader loader) {
        return task.isOnHost()
                ? new FunctionBody(task)
                : TaskMethod.find(task.target(), loader).body(false, task.form());
    }

    private TaskEntry announceLambda(LambdaKey key) {
        if (byReference) {
            return register(
                    key.target(),
                    null,
                    Task.Form.VALUE,
                    false,
                    null,
                    services -> new SourceBody(),
                    0,
                    NO_SERVICE,
                    SourceBody::new,
                    null);
        }
        TaskMethod method = TaskMethod.find(key.target(), key.loader());
        requireCapturesCross(key.target(), method.captured());
        TypeTable types = TypeTable.of(method.roots(Task.Form.VALUE), options.registered(), codecs);
        ValueCodec codec = new ValueCodec(types, options.payload().maxBytes());
        LocalTask local = null;
        if (inThreads) {
            TaskBody body = method.body(true, Task.Form.VALUE);
            local = services -> body;
        }
        return register(
                key.target(),
                null,
                Task.Form.VALUE,
                true,
                codec,
                local,
                types.fingerprint(),
                NO_SERVICE,
                () -> method.body(true, Task.Form.VALUE),
                TaskMethod.resultOf(key.target(), key.loader()));
    }

    /** What a lambda captured is its argument: {@code this} never is, and a type that cannot cross is named. */
    private void requireCapturesCross(TaskTarget target, List<Type> captured) {
        if (target.kind() == TaskTarget.Kind.INSTANCE && target.methodName().startsWith("lambda$")) {
            throw LambdaCalls.badCapture(target, "this: " + target.className(), null);
        }
        for (Type type : captured) {
            try {
                TypeTable.of(List.of(type), options.registered(), codecs);
            } catch (KnittingException e) {
                throw LambdaCalls.badCapture(target, type.getTypeName(), e);
            }
        }
    }

    private synchronized TaskEntry register(
            TaskTarget target,
            @Nullable Task<?, ?> task,
            Task.Form form,
            boolean tuple,
            @Nullable ValueCodec codec,
            @Nullable LocalTask forThreads,
            int fingerprint,
            String implementation,
            @Nullable Supplier<TaskBody> onHost,
            @Nullable Class<?> result) {
        boolean byName = task != null && !task.isOnHost();
        int id = announcer.applyAsInt(
                new TaskDescription(target, form, tuple, byName, fingerprint, implementation).toBytes());
        if (forThreads != null) {
            local.add(new LocalEntry(target, forThreads, tuple, codec, form == Task.Form.ASYNC));
        }
        boolean travelsAsTuple = tuple || context != null;
        Class<?> awaited = form == Task.Form.VALUE ? result : null;
        Sandbox sandbox = options.code().isRestricted() ? options.code().sandbox() : null;
        return new TaskEntry(
                id, target, task, tuple, travelsAsTuple, codec, onHost(task, tuple, onHost), awaited, sandbox);
    }

    /** What the host runs itself when a queue is full: not what answers later, nor what must stay off the host. */
    private @Nullable Supplier<TaskBody> onHost(
            @Nullable Task<?, ?> task, boolean spread, @Nullable Supplier<TaskBody> body) {
        if (body == null || (task != null && task.form() == Task.Form.ASYNC)) {
            return null;
        }
        // Whoever runs it has the context already, and wants to keep it.
        return context == null ? body : () -> new ContextBody(body.get(), spread, null);
    }

    /** The start hook as bytes; empty if there is none. */
    static byte[] startHook(PoolOptions options) {
        CodeOptions.Bootstrap hook = options.code().bootstrap();
        return hook == null
                ? new byte[0]
                : StartHook.toBytes(
                        hook.task(),
                        hook.argument(),
                        options.registered(),
                        instantiate(options.codecs()),
                        loaderOf(hook.task()));
    }

    private @Nullable ClassLoader hookLoader() {
        CodeOptions.Bootstrap hook = options.code().bootstrap();
        return hook == null ? null : loaderOf(hook.task());
    }

    private static @Nullable ClassLoader loaderOf(Task<?, ?> task) {
        ClassLoader own = task.loader();
        return own != null ? own : Thread.currentThread().getContextClassLoader();
    }

    /** What one thread worker, or a direct pool, asks for its tasks. */
    TaskResolver forThread() {
        return new ThreadTasks();
    }

    private final class ThreadTasks implements TaskResolver {
        private final ServiceObjects services = new ServiceObjects();

        @Override
        public BoundTask resolve(int id) {
            LocalEntry entry = local.get(id);
            TaskBody body = entry.task().body(services);
            if (context != null) {
                body = new ContextBody(body, entry.spread(), context.carrier());
            }
            return new BoundTask(body, entry.codec(), entry.async());
        }

        @Override
        public int count() {
            return local.size();
        }

        @Override
        public String describe(int id) {
            return local.get(id).target().toString();
        }

        @Override
        public void start(byte[] hook) {
            StartHook.run(hook, options.registered(), codecs, hookLoader());
        }

        @Override
        public void close() {
            services.close();
        }
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

package dev.knitting.worker;

import dev.knitting.ContextCarrier;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import dev.knitting.Task;
import dev.knitting.boot.BoundTask;
import dev.knitting.boot.ContextBody;
import dev.knitting.boot.ServiceObjects;
import dev.knitting.boot.StartHook;
import dev.knitting.boot.TaskBody;
import dev.knitting.boot.TaskDescription;
import dev.knitting.boot.TaskMethod;
import dev.knitting.boot.TaskResolver;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import dev.knitting.memory.TaskTableReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds tasks by the description in the segment's table and loads their classes in this process. */
final class TableResolver implements TaskResolver {
    private final TaskTableReader table;
    private final WorkerConfig config;
    /** Null unless somebody debugs: nothing of it is loaded then. */
    private final @Nullable WorkerTrace trace;

    /** That of this library: the class path's, or that of the jars within a jar. */
    private final ClassLoader loader = TableResolver.class.getClassLoader();

    private final List<Class<?>> registered = new ArrayList<>();
    private final List<PayloadCodec<?>> codecs = new ArrayList<>();
    private final ServiceObjects services = new ServiceObjects();
    private final @Nullable ContextCarrier carrier;

    /** @throws KnittingException STARTUP_FAILED if a registered type or a codec is not on this worker's class path */
    TableResolver(TaskTableReader table, WorkerConfig config, @Nullable WorkerTrace trace) {
        this.table = table;
        this.trace = trace;
        this.config = config;
        for (String name : config.registered()) {
            registered.add(load(name, "register"));
        }
        for (String name : config.codecs()) {
            codecs.add((PayloadCodec<?>) instantiate(load(name, "codec"), PayloadCodec.class, "codec"));
        }
        String context = config.context();
        this.carrier = context.isEmpty()
                ? null
                : (ContextCarrier) instantiate(load(context, "context"), ContextCarrier.class, "context");
    }

    private Class<?> load(String name, String option) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new KnittingException(
                    ErrorCode.STARTUP_FAILED,
                    KnittingException.message("no such class in the worker", "class", name, "option", option),
                    e);
        }
    }

    private static Object instantiate(Class<?> type, Class<?> wanted, String option) {
        try {
            Constructor<?> constructor = type.getConstructor();
            constructor.setAccessible(true); // the class itself need not be public
            return wanted.cast(constructor.newInstance());
        } catch (ReflectiveOperationException | InaccessibleObjectException | ClassCastException e) {
            throw new KnittingException(
                    ErrorCode.STARTUP_FAILED,
                    KnittingException.message(
                            "a class of the pool's options cannot be made", "class", type.getName(), "option", option),
                    e);
        }
    }

    @Override
    public BoundTask resolve(int id) {
        long started = trace == null ? 0 : System.nanoTime();
        byte[] entry = table.read(id);
        TaskDescription description = TaskDescription.fromBytes(entry);
        TaskMethod method = TaskMethod.find(description.target(), loader);
        List<Type> roots = description.byName()
                ? TaskMethod.rootsOfDescriptor(description.target(), loader)
                : method.roots(description.form());
        TypeTable types = TypeTable.of(roots, registered, codecs);
        if (types.fingerprint() != description.fingerprint()) {
            throw KnittingException.of(
                    ErrorCode.TASK_NOT_FOUND,
                    "host and worker see different types for one task: their class paths differ",
                    "task",
                    description.target(),
                    "hostFingerprint",
                    description.fingerprint(),
                    "workerFingerprint",
                    types.fingerprint());
        }
        String implementation = description.implementation();
        TaskBody body = implementation.isEmpty()
                ? method.body(description.tuple(), description.form())
                : method.serviceBody(services, implementation, loader, description.tuple());
        if (carrier != null) {
            body = new ContextBody(body, description.tuple(), carrier);
        }
        BoundTask bound = new BoundTask(
                body, new ValueCodec(types, config.maxPayloadBytes()), description.form() == Task.Form.ASYNC);
        if (trace != null) {
            trace.resolved(id, description.target(), loader, System.nanoTime() - started);
        }
        return bound;
    }

    @Override
    public String describe(int id) {
        return TaskDescription.fromBytes(table.read(id)).target().toString();
    }

    @Override
    public int count() {
        return table.countAcquire();
    }

    @Override
    public void start(byte[] hook) {
        StartHook.run(hook, registered, codecs, loader);
    }

    @Override
    public void close() {
        services.close();
    }
}

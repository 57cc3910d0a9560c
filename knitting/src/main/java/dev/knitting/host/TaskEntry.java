package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Sandbox;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import dev.knitting.boot.TaskBody;
import dev.knitting.codec.Payload;
import dev.knitting.codec.ValueCodec;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A task as one pool knows it: its number on the wire and the codec of its types. */
final class TaskEntry {
    /** For calls that fail before their task is known to the pool. */
    static final TaskEntry UNKNOWN = new TaskEntry(
            -1,
            new TaskTarget(TaskTarget.Kind.STATIC, "unknown", "unknown", "()V"),
            null,
            false,
            false,
            null,
            null,
            null,
            null);

    private final int id;
    private final TaskTarget target;
    private final @Nullable Task<?, ?> task;
    private final boolean tuple;
    private final boolean spreads;
    private final @Nullable ValueCodec codec;
    private final boolean async;
    private final @Nullable Supplier<TaskBody> onHost;
    /** The only class that results may have, if the task declares one that nothing else can be; else null. */
    private final @Nullable Class<?> exactResult;

    private final boolean nullable;
    /** What the workers may do, or null if they are not restricted. */
    private final @Nullable Sandbox sandbox;

    /**
     * An entry.
     *
     * @param spreads whether the task is called with several values
     * @param tuple whether what travels are several values: those, or a context and what the task is called with
     * @param onHost makes the body that the host can run itself; null if it must not
     * @param result what the task declares to return; null if that is not known, or arrives later
     * @param sandbox what the workers may do, or null if they are not restricted
     */
    TaskEntry(
            int id,
            TaskTarget target,
            @Nullable Task<?, ?> task,
            boolean spreads,
            boolean tuple,
            @Nullable ValueCodec codec,
            @Nullable Supplier<TaskBody> onHost,
            @Nullable Class<?> result,
            @Nullable Sandbox sandbox) {
        this.onHost = onHost;
        this.sandbox = sandbox;
        this.exactResult = result != null && result != void.class && hasNoSubtype(result)
                ? MethodType.methodType(result).wrap().returnType()
                : null;
        this.nullable = result == null || !result.isPrimitive();
        this.spreads = spreads;
        this.id = id;
        this.target = target;
        this.task = task;
        this.tuple = tuple;
        this.codec = codec;
        this.async = task != null && task.form() == Task.Form.ASYNC;
    }

    private static boolean hasNoSubtype(Class<?> type) {
        return type.isArray() ? hasNoSubtype(type.getComponentType()) : Modifier.isFinal(type.getModifiers());
    }

    /** Whether the worker may answer later and goes on with other calls meanwhile. */
    boolean isAsync() {
        return async;
    }

    /** The task, for the host itself; null if it must not run there. */
    @Nullable
    TaskBody bodyOnHost() {
        return onHost == null ? null : onHost.get();
    }

    /** The argument as a worker would get it. */
    @Nullable
    Object copiedArgument(@Nullable Object value, CallBuffers buffers) {
        Payload payload = new Payload();
        payload.buffers = buffers;
        encode(value, payload);
        payload.buffers = buffers.ofTask();
        return tuple ? codec().decodeAll(payload) : codec().decode(payload);
    }

    /** The result as the host would get it. */
    @Nullable
    Object copiedResult(@Nullable Object value, CallBuffers buffers) {
        Payload payload = new Payload();
        payload.buffers = buffers.ofTask();
        codec().encode(value, payload);
        payload.buffers = buffers;
        return codec().decode(payload);
    }

    /** A failure of the task as the host would get it from a worker. */
    RuntimeException copiedFailure(Throwable failure) {
        Payload payload = new Payload();
        codec().encodeFailure(failure, payload);
        return codec().decodeFailure(payload);
    }

    /** Whether payloads are copied. */
    boolean copies() {
        return codec != null;
    }

    /** Number in the task table. */
    int id() {
        return id;
    }

    TaskTarget target() {
        return target;
    }

    /** The task constant, or null for a lambda submitted as a call. */
    @Nullable
    Task<?, ?> task() {
        return task;
    }

    /** Whether the task is called with several values: captured ones, or a service's arguments. */
    boolean spreads() {
        return spreads;
    }

    /** Whether what travels is a tuple of values. */
    boolean isTuple() {
        return tuple;
    }

    private ValueCodec codec() {
        return java.util.Objects.requireNonNull(codec, "payloads travel by reference");
    }

    void encode(@Nullable Object argument, Payload into) {
        if (tuple) {
            codec().encodeAll((Object[]) java.util.Objects.requireNonNull(argument), into);
        } else {
            codec().encode(argument, into);
        }
    }

    /** Decodes what lies in the header line; runs no user code. A failure is returned, not thrown. */
    @Nullable
    Object decodeHeader(Payload from, boolean failed) {
        return failed ? explained(codec().decodeFailure(from)) : checked(codec().decode(from));
    }

    /**
     * The same value.
     *
     * @throws KnittingException CORRUPT_PEER if a worker that runs this task cannot have returned it. Only types that
     *     nothing else is a subtype of are looked at: a list may well arrive as another list
     */
    @Nullable
    Object checked(@Nullable Object value) {
        Class<?> exact = exactResult;
        if (exact != null && (value == null ? !nullable : value.getClass() != exact)) {
            throw KnittingException.of(
                    ErrorCode.CORRUPT_PEER,
                    "a worker answered with what its task does not return",
                    "task",
                    target,
                    "type",
                    value == null ? "null" : value.getClass().getName(),
                    "declared",
                    exact.getName());
        }
        return value;
    }

    private RuntimeException explained(RuntimeException failure) {
        return sandbox == null ? failure : SandboxNotes.explain(failure, sandbox);
    }

    /** Decodes a result on the thread that settles the call: user code may run. A failure is returned, not thrown. */
    @Nullable
    Object decode(RawResult raw, boolean failed, @Nullable CallBuffers buffers) {
        Scratch scratch = Scratch.acquire();
        try {
            scratch.payload.buffers = buffers;
            raw.read(scratch.payload);
            return decodeHeader(scratch.payload, failed);
        } catch (
                InternalError
                        e) { // of a mapped page for which there is no memory: no worker that is in order names one
            throw new KnittingException(
                    ErrorCode.CORRUPT_PEER,
                    KnittingException.message("a worker points at memory that cannot be read", "task", target),
                    e);
        } finally {
            raw.release();
            scratch.release();
        }
    }
}

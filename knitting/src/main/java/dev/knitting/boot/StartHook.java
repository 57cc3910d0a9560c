package dev.knitting.boot;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PayloadCodec;
import dev.knitting.Task;
import dev.knitting.codec.Payload;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task that runs once in each worker, before it makes services and warms tasks: as bytes in the worker's
 * configuration, description and argument together.
 */
public final class StartHook {
    /** Most bytes of the argument: it lies in the boot table. */
    private static final long MAX_ARGUMENT_BYTES = 512 << 10;

    private StartHook() {}

    /**
     * The hook as bytes.
     *
     * @param argument of the task, which takes none or one
     * @param registered as for every task of the pool, and so the codecs
     * @throws KnittingException {@link ErrorCode#PAYLOAD_TOO_LARGE} beyond half a MiB; as for every task
     */
    public static byte[] toBytes(
            Task<?, ?> task,
            @Nullable Object argument,
            List<Class<?>> registered,
            List<PayloadCodec<?>> codecs,
            @Nullable ClassLoader loader) {
        List<Type> roots = task.isOnHost()
                ? TaskMethod.find(task.target(), loader).roots(task.form())
                : TaskMethod.rootsOfDescriptor(task.target(), loader);
        TypeTable types = TypeTable.of(roots, registered, codecs);
        TaskDescription description =
                new TaskDescription(task.target(), task.form(), true, !task.isOnHost(), types.fingerprint(), "");
        Payload payload = new Payload();
        Object[] arguments = task.parameterCount() == 0 ? new Object[0] : new @Nullable Object[] {argument};
        new ValueCodec(types, MAX_ARGUMENT_BYTES).encodeAll(arguments, payload);
        byte[] described = description.toBytes();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(described.length);
            out.write(described);
            out.writeByte(payload.tag);
            MemorySegment body = java.util.Objects.requireNonNull(payload.body);
            out.write(body.asSlice(payload.bodyOffset, payload.bodyLength).toArray(ValueLayout.JAVA_BYTE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Runs the hook on the calling thread; waits for the stage of an asynchronous one.
     *
     * @param bytes what {@link #toBytes} made
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} with what it threw as the cause, {@link
     *     ErrorCode#TASK_NOT_FOUND} if this worker has no such method
     */
    public static void run(
            byte[] bytes, List<Class<?>> registered, List<PayloadCodec<?>> codecs, @Nullable ClassLoader loader) {
        byte[] described;
        Payload payload = new Payload();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            described = in.readNBytes(in.readInt());
            payload.tag = in.readByte();
            byte[] body = in.readAllBytes();
            payload.body = MemorySegment.ofArray(body);
            payload.bodyLength = body.length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        TaskDescription description = TaskDescription.fromBytes(described);
        TaskMethod method = TaskMethod.find(description.target(), loader);
        List<Type> roots = description.byName()
                ? TaskMethod.rootsOfDescriptor(description.target(), loader)
                : method.roots(description.form());
        TypeTable types = TypeTable.of(roots, registered, codecs);
        TaskBody body = method.body(true, description.form());
        if (description.form() == Task.Form.ASYNC) {
            body = new StageBody(body);
        }
        try {
            body.run(new ValueCodec(types, MAX_ARGUMENT_BYTES).decodeAll(payload));
        } catch (Throwable e) {
            throw new KnittingException(
                    ErrorCode.STARTUP_FAILED,
                    KnittingException.message(
                            "the bootstrap hook failed", "task", description.target(), "option", "bootstrap"),
                    e);
        }
    }
}

package dev.knitting.boot;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * One entry of the task table: which method, and the host's view of the types that may cross.
 *
 * @param target the method
 * @param form how the method gives its result
 * @param tuple whether it is called with captured values rather than with one argument
 * @param byName whether the host has only names: then the descriptor's types may cross, and no generics
 * @param fingerprint of the host's type table; the worker's must be the same
 * @param implementation for a method of a service: the class that a worker makes one object of; else empty
 */
public record TaskDescription(
        TaskTarget target, Task.Form form, boolean tuple, boolean byName, int fingerprint, String implementation) {
    /** The description as bytes. */
    public byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(target.kind().ordinal());
            out.writeUTF(target.className());
            out.writeUTF(target.methodName());
            out.writeUTF(target.descriptor());
            out.writeByte(form.ordinal());
            out.writeBoolean(tuple);
            out.writeBoolean(byName);
            out.writeInt(fingerprint);
            out.writeUTF(implementation);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #toBytes} wrote.
     *
     * @throws KnittingException {@link ErrorCode#CORRUPT_PEER} if they are none
     */
    public static TaskDescription fromBytes(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            TaskTarget.Kind kind = TaskTarget.Kind.values()[in.readByte()];
            return new TaskDescription(
                    new TaskTarget(kind, in.readUTF(), in.readUTF(), in.readUTF()),
                    Task.Form.values()[in.readByte()],
                    in.readBoolean(),
                    in.readBoolean(),
                    in.readInt(),
                    in.readUTF());
        } catch (IOException | RuntimeException e) { // a kind or form that there is not, a name that is none
            throw new KnittingException(
                    ErrorCode.CORRUPT_PEER, KnittingException.message("not a task description", "reason", e), e);
        }
    }
}

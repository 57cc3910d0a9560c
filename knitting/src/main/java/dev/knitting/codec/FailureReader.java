package dev.knitting.codec;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.TaskFailedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what {@link FailureWriter} wrote. */
final class FailureReader {
    /** Four absent texts, two empty ones and a line number. */
    private static final int LEAST_FRAME_BYTES = 12;

    private final TypeTable types;
    private final ByteReader in;

    FailureReader(TypeTable types, ByteReader in) {
        this.types = types;
        this.in = in;
    }

    /** A task's exception. */
    TaskFailedException readTaskFailure() {
        RemoteThrowable remote = read(FailureWriter.MAX_CAUSES);
        Throwable original = ThrowableFactory.rebuild(remote, types);
        return original == null ? told(remote, types) : taskFailed(remote, original);
    }

    /** An exception of the pool's own. */
    KnittingException readKnittingFailure(ErrorCode code) {
        RemoteThrowable remote = read(FailureWriter.MAX_CAUSES);
        RemoteThrowable cause = remote.cause();
        String message = remote.message();
        KnittingException failure = new KnittingException(
                code, message == null ? code.name() : message, cause == null ? null : toThrowable(cause, types));
        failure.setStackTrace(remote.stack());
        return failure;
    }

    /** A throwable that is a value: itself where the host may have it, else a {@link TaskFailedException}. */
    Throwable readValue() {
        return toThrowable(read(FailureWriter.MAX_CAUSES), types);
    }

    /** The exception itself where the host may have it, else one that tells about it. */
    static Throwable toThrowable(RemoteThrowable remote, TypeTable types) {
        Throwable original = ThrowableFactory.rebuild(remote, types);
        return original == null ? told(remote, types) : original;
    }

    private static TaskFailedException told(RemoteThrowable remote, TypeTable types) {
        RemoteThrowable cause = remote.cause();
        TaskFailedException told = taskFailed(remote, cause == null ? null : toThrowable(cause, types));
        for (RemoteThrowable suppressed : remote.suppressed()) {
            told.addSuppressed(toThrowable(suppressed, types));
        }
        return told;
    }

    private static TaskFailedException taskFailed(RemoteThrowable remote, @Nullable Throwable cause) {
        return new TaskFailedException(remote.type(), remote.message(), remote.stack(), cause);
    }

    private RemoteThrowable read(int causes) {
        int flags = in.getByte();
        if ((flags & ~(FailureWriter.HAS_MESSAGE | FailureWriter.HAS_CAUSE)) != 0) {
            throw Refusal.corrupt("unknown flags of a throwable", "flags", flags);
        }
        int index = in.getLength() - 1;
        String type = StandardCodec.text(in);
        String message = (flags & FailureWriter.HAS_MESSAGE) == 0 ? null : StandardCodec.text(in);
        StackTraceElement[] stack = readFrames();
        List<RemoteThrowable> suppressed = readSuppressed(causes);
        RemoteThrowable cause = (flags & FailureWriter.HAS_CAUSE) == 0 ? null : readNested(causes);
        return new RemoteThrowable(index, type, message, stack, suppressed, cause);
    }

    private RemoteThrowable readNested(int causes) {
        if (causes == 0) {
            throw Refusal.corrupt("too many causes", "limit", FailureWriter.MAX_CAUSES);
        }
        return read(causes - 1);
    }

    private List<RemoteThrowable> readSuppressed(int causes) {
        int count = in.checkCount(in.getInt(), 1);
        List<RemoteThrowable> suppressed = new ArrayList<>(Math.min(count, StructureReader.MAX_INITIAL_ELEMENTS));
        for (int i = 0; i < count; i++) {
            suppressed.add(readNested(causes));
        }
        return suppressed;
    }

    private StackTraceElement[] readFrames() {
        int count = in.checkCount(in.getInt(), LEAST_FRAME_BYTES);
        StackTraceElement[] frames = new StackTraceElement[count];
        for (int i = 0; i < count; i++) {
            frames[i] = new StackTraceElement(
                    optionalText(),
                    optionalText(),
                    optionalText(),
                    StandardCodec.text(in),
                    StandardCodec.text(in),
                    optionalText(),
                    in.getInt());
        }
        return frames;
    }

    private @Nullable String optionalText() {
        return in.skipIf(PayloadTag.NULL) ? null : StandardCodec.text(in);
    }
}

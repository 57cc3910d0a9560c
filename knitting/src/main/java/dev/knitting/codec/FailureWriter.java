package dev.knitting.codec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a throwable: class, message, stack, suppressed ones, causes. Whatever the throwable's own methods do, this ends
 * with something written: a getter that throws counts as one that has nothing to say. Only an exhausted scratch is passed
 * on, for the caller to try again with less.
 *
 * <p>Sizes are bounded: long texts and stacks are cut, and each throwable leaves half of the room to the next.
 */
final class FailureWriter {
    /** Most levels of causes. */
    static final int MAX_CAUSES = 16;

    static final int HAS_MESSAGE = 1;
    static final int HAS_CAUSE = 2;

    private static final int MAX_SUPPRESSED = 4;
    private static final int MAX_NAME_LENGTH = 256;
    private static final int MAX_MESSAGE_LENGTH = 16 << 10;
    private static final int MAX_FRAMES = 512;
    /** What one throwable takes besides its texts, at most. */
    private static final int OVERHEAD_BYTES = 32;

    private final TypeTable types;
    private final ByteWriter out;
    private final List<Throwable> written = new ArrayList<>();

    FailureWriter(TypeTable types, ByteWriter out) {
        this.types = types;
        this.out = out;
    }

    /** Writes a throwable with all that hangs on it. */
    void write(Throwable thrown) {
        write(thrown, MAX_CAUSES);
    }

    /**
     * Writes a throwable.
     *
     * @param causes how many levels of causes at most; 0 leaves out stack and suppressed ones too
     */
    void write(Throwable thrown, int causes) {
        written.add(thrown);
        String message = messageOf(thrown);
        Throwable cause = causes == 0 ? null : unwritten(causeOf(thrown));
        out.putByte((message == null ? 0 : HAS_MESSAGE) | (cause == null ? 0 : HAS_CAUSE));
        TypeEntry entry = types.find(thrown.getClass());
        out.putLength(entry instanceof ThrowableType ? entry.index() + 1 : 0);
        writeText(thrown.getClass().getName(), MAX_NAME_LENGTH);
        if (message != null) {
            writeText(message, MAX_MESSAGE_LENGTH);
        }
        writeFrames(causes == 0 ? new StackTraceElement[0] : stackOf(thrown));
        writeSuppressed(causes == 0 ? new Throwable[0] : thrown.getSuppressed(), causes);
        if (cause != null) {
            write(cause, causes - 1);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the same object, not an equal one
    private @Nullable Throwable unwritten(@Nullable Throwable thrown) {
        for (Throwable earlier : written) {
            if (earlier == thrown) {
                return null; // a cycle of causes
            }
        }
        return thrown;
    }

    private void writeFrames(StackTraceElement[] frames) {
        int countAt = out.position();
        out.putInt(0);
        long end = out.position() + out.room() / 2;
        int count = 0;
        while (count < frames.length && count < MAX_FRAMES && sizeOf(frames[count]) <= end - out.position()) {
            writeFrame(frames[count]);
            count++;
        }
        out.patchInt(countAt, count);
    }

    private void writeFrame(StackTraceElement frame) {
        writeOptionalText(frame.getClassLoaderName());
        writeOptionalText(frame.getModuleName());
        writeOptionalText(frame.getModuleVersion());
        writeText(frame.getClassName(), MAX_NAME_LENGTH);
        writeText(frame.getMethodName(), MAX_NAME_LENGTH);
        writeOptionalText(frame.getFileName());
        out.putInt(frame.getLineNumber());
    }

    private static long sizeOf(StackTraceElement frame) {
        return OVERHEAD_BYTES
                + bytesOf(frame.getClassLoaderName())
                + bytesOf(frame.getModuleName())
                + bytesOf(frame.getModuleVersion())
                + bytesOf(frame.getClassName())
                + bytesOf(frame.getMethodName())
                + bytesOf(frame.getFileName());
    }

    private static long bytesOf(@Nullable String text) {
        return text == null ? 0 : 2L * Math.min(text.length(), MAX_NAME_LENGTH);
    }

    private void writeSuppressed(Throwable[] suppressed, int causes) {
        int countAt = out.position();
        out.putInt(0);
        int count = 0;
        for (Throwable thrown : suppressed) {
            // Each may have a long text: leave more than half for the causes, which say more.
            if (count == MAX_SUPPRESSED || out.room() < 4L * MAX_NAME_LENGTH || unwritten(thrown) == null) {
                break;
            }
            write(thrown, Math.min(1, causes - 1));
            count++;
        }
        out.patchInt(countAt, count);
    }

    private void writeOptionalText(@Nullable String text) {
        if (text == null) {
            out.putByte(PayloadTag.NULL);
        } else {
            writeText(text, MAX_NAME_LENGTH);
        }
    }

    private void writeText(String text, int maxLength) {
        // Two bytes a character at worst, and half of the room stays for what follows.
        long fitting = Math.min(maxLength, Math.max(0, out.room() - OVERHEAD_BYTES) / 4);
        String cut = text.length() <= fitting ? text : text.substring(0, (int) fitting);
        StructureWriter.writeString(cut, out);
    }

    private static @Nullable String messageOf(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable e) { // user code may throw anything, and a failure must be reported all the same
            return "(getMessage threw " + e.getClass().getName() + ")";
        }
    }

    private static @Nullable Throwable causeOf(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable e) { // user code may throw anything, and a failure must be reported all the same
            return null;
        }
    }

    private static StackTraceElement[] stackOf(Throwable thrown) {
        try {
            StackTraceElement[] frames = thrown.getStackTrace();
            for (StackTraceElement frame : frames) {
                frame.getClassName(); // an overridden method may hand out null elements
            }
            return frames;
        } catch (Throwable e) { // user code may throw anything, and a failure must be reported all the same
            return new StackTraceElement[0];
        }
    }
}

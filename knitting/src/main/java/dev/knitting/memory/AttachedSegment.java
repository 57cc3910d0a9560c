package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.File;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A worker's side of any segment: a mapping, and the open file to reserve pages of its own arena. On the path of a
 * worker's start: loads as little as it can.
 */
final class AttachedSegment extends SharedSegment {
    /** Argument of a segment that came as standard input. */
    static final String INHERITED = "inherited";

    /** Before the path of a named file. */
    static final String NAMED_PREFIX = "named:";

    /** Before the path of a portable file. */
    static final String PORTABLE_PREFIX = "portable:";

    private static final String STANDARD_INPUT = "/proc/self/fd/0";

    private final Memory kind;
    private final @Nullable File name;

    private AttachedSegment(MappedFile file, Memory kind, @Nullable File name) {
        super(file);
        this.kind = kind;
        this.name = name;
    }

    static AttachedSegment ofArgument(String argument) {
        try {
            if (argument.equals(INHERITED)) {
                MappedFile file = MappedFile.attach(STANDARD_INPUT);
                StandardInput.makeEmpty();
                return new AttachedSegment(file, Memory.INHERITED, null);
            }
            if (argument.startsWith(NAMED_PREFIX)) {
                return attachFile(Memory.NAMED, argument.substring(NAMED_PREFIX.length()));
            }
            if (argument.startsWith(PORTABLE_PREFIX)) {
                return attachFile(Memory.PORTABLE, argument.substring(PORTABLE_PREFIX.length()));
            }
        } catch (IOException | RuntimeException e) {
            String text = KnittingException.message("segment cannot be attached", "argument", argument, "reason", e);
            throw new KnittingException(ErrorCode.STARTUP_FAILED, text, e);
        }
        throw KnittingException.of(
                ErrorCode.STARTUP_FAILED,
                "no such kind of segment",
                "argument",
                argument,
                "valid",
                "inherited, named:PATH, portable:PATH");
    }

    private static AttachedSegment attachFile(Memory kind, String path) throws IOException {
        return new AttachedSegment(MappedFile.attach(path), kind, new File(path));
    }

    @Override
    public Memory kind() {
        return kind;
    }

    @Override
    public void reserve(long offset, long bytes) {
        CreatedSegments.reserve(file(), kind, name == null ? "memfd" : String.valueOf(name.getParent()), offset, bytes);
    }

    @Override
    public Handover handover() {
        throw new UnsupportedOperationException("a segment is handed over by the host that created it");
    }

    @Override
    public void unlink() {
        if (name != null) {
            name.delete(); // false: already gone
        }
    }

    @Override
    public void close() {
        CreatedSegments.close(file());
    }
}

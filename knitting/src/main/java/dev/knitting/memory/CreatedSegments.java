package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.File;
import java.io.IOException;
import java.util.Objects;

/** What the host does alike for each kind of segment. */
final class CreatedSegments {
    private CreatedSegments() {}

    /** Commits a fresh range. */
    static void reserve(MappedFile file, Memory kind, String place, long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, file.length());
        try {
            if (kind != Memory.INHERITED) {
                requireRoom(place, bytes);
            }
            file.writeZeros(offset, bytes);
        } catch (IOException e) {
            throw outOfMemory("no memory to reserve", kind, place, bytes, e);
        }
    }

    /** Writes zeros to a range that may have pages already. */
    static void overwrite(MappedFile file, Memory kind, long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, file.length());
        try {
            file.writeZeros(offset, bytes);
        } catch (IOException e) {
            throw outOfMemory("no memory to commit", kind, "the segment's file", bytes, e);
        }
    }

    /**
     * Refuses what cannot succeed before it has used up what is left: pages that were committed in vain are not given
     * back, and small requests, of others too, would fail ever after. A hint: somebody else may take the room meanwhile.
     */
    private static void requireRoom(String place, long bytes) throws IOException {
        long usable = new File(place).getUsableSpace(); // 0 if it cannot be known
        if (usable > 0 && usable < bytes) {
            throw new IOException("No space left on device: usable=" + usable);
        }
    }

    /** The operating system has no memory, or no descriptor, for {@code bytes} of a segment. */
    static KnittingException outOfMemory(String what, Memory kind, String place, long bytes, IOException cause) {
        String text = KnittingException.message(
                what,
                "bytes",
                bytes,
                "kind",
                kind,
                "directory",
                place,
                "reason",
                cause.getMessage(),
                "option",
                kind == Memory.INHERITED ? "payload.ceilingBytes" : "memoryDirectory");
        return new KnittingException(ErrorCode.OUT_OF_SHARED_MEMORY, text, cause);
    }

    /** Closes a file that is not needed any more. */
    static void close(MappedFile file) {
        try {
            file.close();
        } catch (IOException e) {
            // The mapping is gone and the descriptor is released in any case; there is nothing left to lose or to
            // retry.
            System.getLogger("dev.knitting").log(System.Logger.Level.DEBUG, "closing a segment's file failed", e);
        }
    }
}

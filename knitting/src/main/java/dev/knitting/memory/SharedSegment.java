package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that several processes map: created by the host, attached by its workers.
 *
 * <p>Three kinds: {@link Memory#INHERITED} has no name and cannot be truncated, {@link Memory#NAMED} and {@link
 * Memory#PORTABLE} are files that only their owner may open, under an unguessable name. All are created at their full
 * length but without pages: the length is a ceiling, not a cost. A range is {@linkplain #reserve reserved} before
 * anybody touches it, so that lack of memory is an exception there and not a fault in somebody's store.
 *
 * <p>Any thread may use any method. {@link #close()} must not run while another thread accesses the memory through an
 * address (futex); accesses through {@link #memory()} then fail with an {@link IllegalStateException}.
 */
public abstract sealed class SharedSegment implements AutoCloseable
        permits InheritedSegment, FileSegment, AttachedSegment {

    /** A clean-up action that does nothing: the view's lifetime refers to it, and so to the other object. */
    private record Keeper(Object kept) implements Consumer<MemorySegment> {
        @Override
        public void accept(MemorySegment view) {
            // the mapping goes on
        }
    }

    private final MappedFile file;

    SharedSegment(MappedFile file) {
        this.file = file;
    }

    /**
     * Creates a segment.
     *
     * @param kind any but {@link Memory#AUTOMATIC}; see {@link #resolve}
     * @param length ceiling in bytes, at least 1
     * @param directory where a named or portable file goes; null for {@code /dev/shm} (if there is one, for named
     *     memory) or the temporary directory. Ignored for inherited memory
     * @throws KnittingException {@link ErrorCode#OUT_OF_SHARED_MEMORY} if the operating system refuses, {@link
     *     ErrorCode#UNSUPPORTED_PLATFORM} if inherited memory is not possible here
     * @throws IllegalArgumentException if the kind is not resolved or the length is not positive
     */
    public static SharedSegment create(Memory kind, long length, @Nullable Path directory) {
        if (length < 1) {
            throw new IllegalArgumentException("segment length out of range: length=" + length + ", minimum=1");
        }
        return switch (kind) {
            case AUTOMATIC -> throw new IllegalArgumentException("memory kind is not resolved: kind=AUTOMATIC");
            case INHERITED -> InheritedSegment.ofLength(length);
            case NAMED, PORTABLE -> FileSegment.ofLength(kind, length, directory);
        };
    }

    /**
     * The kind that {@link Memory#AUTOMATIC} means on this machine; any other kind is itself.
     *
     * @throws KnittingException {@link ErrorCode#UNSUPPORTED_PLATFORM} if inherited memory is asked for and not possible
     */
    public static Memory resolve(Memory kind) {
        return switch (kind) {
            case AUTOMATIC -> NativeAccess.enabledOrHint() ? Memory.INHERITED : Memory.PORTABLE;
            case INHERITED -> {
                InheritedSegment.requireNativeAccess();
                yield kind;
            }
            case NAMED, PORTABLE -> kind;
        };
    }

    /**
     * Maps, in a child process, the segment that the host handed over.
     *
     * @param argument {@link Handover#argument()}
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if there is no such segment
     */
    public static SharedSegment attach(String argument) {
        return AttachedSegment.ofArgument(argument);
    }

    /** The whole segment, read-write, zero-initialised, aligned to a page. */
    public final MemorySegment memory() {
        return file.memory();
    }

    /**
     * A part of the segment as a buffer in native byte order, for {@link BufferWords}. In a worker a mapping of its own;
     * to be asked for by a thread that nobody interrupts.
     *
     * @param offset first byte, a multiple of a page
     * @param bytes how many
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if it cannot be mapped
     * @throws IndexOutOfBoundsException if it is not inside the segment
     */
    public final ByteBuffer window(long offset, int bytes) {
        Objects.checkFromIndexSize(offset, bytes, length());
        try {
            return file.window(offset, bytes);
        } catch (IOException e) {
            throw new KnittingException(
                    ErrorCode.STARTUP_FAILED, KnittingException.message("segment cannot be mapped", "reason", e), e);
        }
    }

    /**
     * A part of the segment under a lifetime of its own: it cannot be reached any more once the arena is closed. The
     * segment must not be closed before.
     *
     * @param offset first byte
     * @param bytes how many
     * @param arena one that all threads may use; with {@linkplain #viewsAreCheap cheap views} also one that is confined
     * @param keeper with cheap views: can be reached as long as the view can
     * @throws IndexOutOfBoundsException if it is not inside the segment
     * @throws KnittingException {@link ErrorCode#OUT_OF_SHARED_MEMORY} if it cannot be mapped
     */
    @SuppressWarnings("restricted") // guarded: only with native access
    public final MemorySegment view(long offset, long bytes, Arena arena, Object keeper) {
        Objects.checkFromIndexSize(offset, bytes, length());
        if (viewsAreCheap()) {
            return memory().asSlice(offset, bytes).reinterpret(arena, new Keeper(keeper));
        }
        try {
            return file.map(offset, bytes, arena); // again, since a part of a mapping has the life of the whole
        } catch (IOException e) {
            throw new KnittingException(
                    ErrorCode.OUT_OF_SHARED_MEMORY,
                    KnittingException.message("a buffer cannot be mapped", "length", bytes, "reason", e),
                    e);
        }
    }

    /** Whether {@link #view} makes no mapping of its own, and takes confined arenas. */
    public static boolean viewsAreCheap() {
        return NativeAccess.enabled();
    }

    /**
     * Commits zeroed pages for a range that nobody uses, whether it was used before or not. Host only; not while the
     * segment is closed.
     *
     * @param offset first byte, a multiple of a page
     * @param bytes how many, a multiple of a page
     * @throws KnittingException {@link ErrorCode#OUT_OF_SHARED_MEMORY} if the memory is full
     */
    public void commit(long offset, long bytes) {
        CreatedSegments.overwrite(file, kind(), offset, bytes);
    }

    /**
     * Gives the pages of a range back, if the system can: then it reads as zeros. Host only; as {@link #commit}.
     */
    public void discard(long offset, long bytes) {
        // what a file holds is overwritten when the range is committed again
    }

    /** Its length in bytes, the ceiling it was created with. */
    public final long length() {
        return file.length();
    }

    /** How the segment is shared; never {@link Memory#AUTOMATIC}. */
    public abstract Memory kind();

    /**
     * Commits the pages of a range that nobody has used yet, by writing zeros to exactly this range. Each side reserves
     * only what its own allocators hand out. Bytes that are in use would be lost: the caller guarantees that the range is
     * fresh.
     *
     * @param offset first byte
     * @param bytes how many; zero is allowed. Need not be a multiple of a page, but whole pages are cheapest
     * @throws KnittingException {@link ErrorCode#OUT_OF_SHARED_MEMORY} if the memory is full; a part of the range may be
     *     committed then, and a later attempt is allowed
     * @throws IndexOutOfBoundsException if the range is not inside the segment
     */
    public abstract void reserve(long offset, long bytes);

    /**
     * What a child needs to attach this segment. Valid until {@link #close()}.
     *
     * @throws IllegalStateException if the segment is closed
     * @throws UnsupportedOperationException in a process that attached the segment
     */
    public abstract Handover handover();

    /**
     * Removes the file's name, if it has one: whoever has attached keeps the memory, nobody else can attach. May be
     * repeated, by host and workers alike; a name that is gone is no error. (Where a mapped file cannot be deleted, the
     * name stays until the host closes.)
     */
    public abstract void unlink();

    /**
     * Unmaps the memory in this process; in the host also removes the name and gives the memory back once no worker maps
     * it. May be repeated.
     *
     * @throws IllegalStateException if another thread is just using the memory in an I/O call; may be tried again
     */
    @Override
    public abstract void close();

    final MappedFile file() {
        return file;
    }
}

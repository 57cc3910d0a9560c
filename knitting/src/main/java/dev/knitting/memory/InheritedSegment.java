package dev.knitting.memory;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The host's side of anonymous memory (Linux {@code memfd}): no name to guess or to leak, not bounded by the size of
 * {@code /dev/shm}, and sealed: no shrinking (a fault for everybody else), no growing, and nobody can take the
 * seals off.
 *
 * <p>The descriptor stays open until {@link #close()}: a replacement worker may be started at any time. The child gets
 * it as standard input, opened anew through {@code /proc/self/fd} (the original is closed on exec).
 */
final class InheritedSegment extends SharedSegment {
    private static final String PLACE = "memfd";

    private final int descriptor;
    private boolean isClosed;

    private InheritedSegment(MappedFile file, int descriptor) {
        super(file);
        this.descriptor = descriptor;
    }

    /** Declared as the general type, so that checking the caller does not load this class in a worker. */
    static SharedSegment ofLength(long length) {
        requireNativeAccess();
        int descriptor = LinuxCalls.memfdCreate("knitting");
        if (descriptor == -LinuxCalls.ENOSYS) {
            throw KnittingException.of(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "kernel has no memfd",
                    "kind",
                    Memory.INHERITED,
                    "option",
                    "memory");
        }
        if (descriptor < 0) {
            IOException cause = new IOException("errno=" + -descriptor);
            throw CreatedSegments.outOfMemory("memory file refused", Memory.INHERITED, PLACE, length, cause);
        }
        InheritedSegment segment = null;
        try {
            segment = open(descriptor, length);
            return segment;
        } catch (IOException e) {
            throw CreatedSegments.outOfMemory("segment cannot be mapped", Memory.INHERITED, PLACE, length, e);
        } finally {
            if (segment == null) {
                LinuxCalls.close(descriptor);
            }
        }
    }

    private static InheritedSegment open(int descriptor, long length) throws IOException {
        MappedFile file = MappedFile.create(path(descriptor), length);
        int seals = LinuxCalls.SEAL_SHRINK | LinuxCalls.SEAL_GROW | LinuxCalls.SEAL_SEAL;
        int result = LinuxCalls.addSeals(descriptor, seals);
        if (result != 0) {
            CreatedSegments.close(file);
            throw new IOException("memory file cannot be sealed: errno=" + -result);
        }
        return new InheritedSegment(file, descriptor);
    }

    static void requireNativeAccess() {
        if (!NativeAccess.enabled()) {
            throw KnittingException.of(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "inherited memory needs Linux on x86-64 or aarch64 and native access",
                    "kind",
                    Memory.INHERITED,
                    "os",
                    System.getProperty("os.name"),
                    "arch",
                    System.getProperty("os.arch"),
                    "flag",
                    NativeAccess.flag(),
                    "option",
                    "memory");
        }
    }

    private static String path(int descriptor) {
        return "/proc/self/fd/" + descriptor;
    }

    /** The descriptor, for tests that try to break the seals. */
    int descriptor() {
        return descriptor;
    }

    @Override
    public Memory kind() {
        return Memory.INHERITED;
    }

    @Override
    public void reserve(long offset, long bytes) {
        CreatedSegments.reserve(file(), Memory.INHERITED, PLACE, offset, bytes);
    }

    @Override
    public void commit(long offset, long bytes) {
        // The kernel zeroes pages as it allocates them: half the work of writing zeros.
        int result = LinuxCalls.allocatePages(descriptor, offset, bytes);
        if (result != 0) {
            LinuxCalls.discardPages(descriptor, offset, bytes); // what it got as far as
            throw CreatedSegments.outOfMemory(
                    "no memory to commit", Memory.INHERITED, PLACE, bytes, new IOException("errno=" + -result));
        }
    }

    @Override
    public void discard(long offset, long bytes) {
        if (LinuxCalls.discardPages(descriptor, offset, bytes) != 0) {
            super.commit(offset, bytes); // keeps the pages, but nothing that was in them
        }
    }

    @Override
    public synchronized Handover handover() {
        if (isClosed) {
            throw new IllegalStateException("segment is closed: kind=INHERITED");
        }
        return new Handover(Path.of(path(descriptor)), AttachedSegment.INHERITED);
    }

    @Override
    public void unlink() {
        // It never had a name.
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        CreatedSegments.close(file());
        LinuxCalls.close(descriptor);
        isClosed = true;
    }
}

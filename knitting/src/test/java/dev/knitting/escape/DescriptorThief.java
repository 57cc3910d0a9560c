package dev.knitting.escape;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A task that blinds whoever watches descriptors: puts a pipe that nothing happens to in the place of every one, but for
 * files that have a name: the JVM reads classes from those, and would crash.
 */
public final class DescriptorThief {
    private static final int MOST = 400;
    private static final int DUP3 = 292;
    private static final int PIPE2 = 293;
    private static final int FSTAT = 5;
    /** {@code struct stat}: number of names, then type and permissions. */
    private static final long NAMES_OFFSET = 16;

    private static final long MODE_OFFSET = 24;
    private static final long STAT_BYTES = 144;
    private static final int TYPE_MASK = 0xf000;
    private static final int REGULAR_FILE = 0x8000;

    private DescriptorThief() {}

    /** Returns how many it replaced. */
    public static int take() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pipe = arena.allocate(8, 8);
            Raw.call(PIPE2, pipe.address(), 0);
            int reader = pipe.get(ValueLayout.JAVA_INT, 0);
            int writer = pipe.get(ValueLayout.JAVA_INT, 4);
            MemorySegment stat = arena.allocate(STAT_BYTES, 8);
            int taken = 0;
            for (int descriptor = 0; descriptor < MOST; descriptor++) {
                if (descriptor != reader
                        && descriptor != writer
                        && !isNamedFile(descriptor, stat)
                        && Raw.call(DUP3, writer, descriptor, 0) == descriptor) {
                    taken++;
                }
            }
            return taken;
        }
    }

    private static boolean isNamedFile(int descriptor, MemorySegment stat) {
        return Raw.call(FSTAT, descriptor, stat.address()) == 0
                && (stat.get(ValueLayout.JAVA_INT, MODE_OFFSET) & TYPE_MASK) == REGULAR_FILE
                && stat.get(ValueLayout.JAVA_LONG, NAMES_OFFSET) > 0;
    }
}

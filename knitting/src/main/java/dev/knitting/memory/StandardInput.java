package dev.knitting.memory;

import java.io.InputStream;

/** Takes the inherited segment away from a worker's standard input, so that no task reads shared memory by accident. */
public final class StandardInput {
    private static final int READ_ONLY = 0;
    private static final int STANDARD_INPUT = 0;

    private StandardInput() {}

    /** Makes {@link System#in} empty. Pure Java and quick; the file descriptor stays what it is. */
    public static void makeEmpty() {
        System.setIn(InputStream.nullInputStream());
    }

    /**
     * Puts {@code /dev/null} on file descriptor 0. Call it once the segment is attached, from the thread that links
     * native code in the background.
     *
     * @return false if there is no native access or {@code /dev/null} cannot be opened; then the descriptor stays
     */
    public static boolean replaceDescriptor() {
        if (!NativeAccess.enabled()) {
            return false;
        }
        int nothing = LinuxCalls.open("/dev/null", READ_ONLY);
        if (nothing < 0) {
            return false;
        }
        if (nothing == STANDARD_INPUT) {
            return true; // was closed, and opening filled the gap
        }
        int result = LinuxCalls.duplicate(nothing, STANDARD_INPUT);
        LinuxCalls.close(nothing);
        return result == STANDARD_INPUT;
    }
}

package dev.knitting.memory;

/** Signals of this process to itself, for tests of what others make of it. Needs {@link NativeAccess#enabled()}. */
public final class OwnProcess {
    private static final int SIGKILL = 9;
    private static final int SIGSTOP = 19;

    private OwnProcess() {}

    /** Dies at once, as if the kernel had killed it: nothing runs afterwards. */
    public static void kill() {
        signal(SIGKILL);
    }

    /** Stands still, all threads, until somebody continues it. */
    public static void stop() {
        signal(SIGSTOP);
    }

    private static void signal(int number) {
        if (!NativeAccess.enabled()) {
            throw new IllegalStateException("a process cannot signal itself without native access");
        }
        int result = LinuxCalls.kill(ProcessHandle.current().pid(), number);
        if (result != 0) {
            throw new IllegalStateException("kill failed: errno=" + -result);
        }
    }
}

package dev.knitting.memory;

/**
 * The parent of this process as the kernel sees it: the cheapest way to watch a host that started this process itself,
 * without {@code /proc}, and the only one where the host cannot be seen (a sandbox hides {@code /proc}, a pid namespace
 * hides the host).
 *
 * <p>Needs {@link NativeAccess#enabled()}. Any thread may call.
 */
public final class ParentProcess {
    private static final int SIGKILL = 9;
    private static final int SIGCONT = 18;

    private ParentProcess() {}

    /**
     * Asks the kernel to kill this process when the <em>thread</em> that created it ends. A parent that ended before
     * this call goes unnoticed: compare {@link #pid()} before and after.
     *
     * @return whether the kernel accepted
     */
    public static boolean dieWithCreator() {
        return LinuxCalls.setParentDeathSignal(SIGKILL) == 0;
    }

    /**
     * Asks the kernel to continue this process, should somebody have stopped it (SIGSTOP), when the <em>thread</em> that
     * created it ends; so that it can do what is left to do. Replaces {@link #dieWithCreator}, and is replaced by it.
     *
     * @return whether the kernel accepted
     */
    public static boolean continueWithCreator() {
        return LinuxCalls.setParentDeathSignal(SIGCONT) == 0;
    }

    /** The parent's process id; another one than before means that the parent has died; 0 if it is outside this pid namespace. */
    public static int pid() {
        return LinuxCalls.parentPid();
    }
}

package dev.knitting.memory;

/**
 * The parent of this process as the kernel sees it: the fallback of {@link HostLiveness} where the host cannot be seen
 * (a sandbox hides {@code /proc}, a pid namespace hides the host).
 *
 * <p>Needs {@link NativeAccess#enabled()}. Any thread may call.
 */
public final class ParentProcess {
    private static final int SIGKILL = 9;

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

    /** The parent's process id; another one than before means that the parent has died; 0 outside this namespace. */
    public static int pid() {
        return LinuxCalls.parentPid();
    }
}

package dev.knitting.worker;

import dev.knitting.memory.HostLiveness;
import dev.knitting.memory.OutputPipe;
import dev.knitting.memory.ParentProcess;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker's look at its host; it must end when the host is gone, however that happened, and cost next to nothing until
 * then.
 *
 * <p>Without native calls: a look at {@code /proc} four times a second. With them the thread sleeps in the kernel until
 * the host's end of the output pipe closes, or its parent ends if that is the host. In case that fails, it also wakes
 *
 * <ul>
 *   <li>every 5 s, if the host is this process's parent and the kernel has agreed to kill this process with the thread
 *       that started it, the host's launcher thread, which lives as long as the pool. That works also for a JVM that is
 *       stopped or stuck;
 *   <li>every 5 s, if files have to be deleted first (then the kernel is only asked to continue a stopped process) and
 *       the kernel shows the parent's end; four times a second if it does not: by the parent's number, a cheap system
 *       call;
 *   <li>four times a second, if a command prefix stands between host and worker: by {@code /proc}.
 * </ul>
 *
 * <p>A pipe that breaks while another sign still shows the host alive (its output goes elsewhere, or the host gave up
 * reading) proves nothing; where there is no other sign (another pid namespace), it has to.
 */
final class HostWatch {
    private static final long OFTEN_NANOS = 250_000_000L;
    private static final long SELDOM_NANOS = 5_000_000_000L;
    /** After the pipe broke: a dying process closes its files a moment before its children see it gone. */
    private static final long SOON_NANOS = 10_000_000L;

    private static final int SOON_LOOKS = 100;
    private static final int FEW_LOOKS = 20;

    private final HostLiveness host;
    private final long hostPid;
    private final boolean hasToken;
    private final boolean visible;

    /**
     * Begins the watch: a host that dies later was seen to have lived.
     *
     * @param hostStartToken 0 if it says nothing, because the host's {@code /proc} is not that of its pid namespace
     */
    HostWatch(long hostPid, long hostStartToken) {
        this.host = HostLiveness.of(hostPid, hostStartToken);
        this.hostPid = hostPid;
        this.hasToken = hostStartToken != 0;
        this.visible = hasToken && host.isVisible();
    }

    /** Whether {@code /proc} shows the host. */
    boolean isVisible() {
        return visible;
    }

    /**
     * Whether the host is gone, or goes within a moment: a dying process closes its files before it can be seen gone. False
     * if it cannot be seen.
     */
    boolean isGoneSoon() {
        for (int look = 0; visible && look < FEW_LOOKS; look++) {
            if (!host.isAlive()) {
                return true;
            }
            LockSupport.parkNanos(SOON_NANOS);
        }
        return false;
    }

    /** Returns when the host is gone; without native calls. Never, if it cannot be seen. */
    void awaitGone() {
        while (!visible || host.isAlive()) {
            LockSupport.parkNanos(OFTEN_NANOS);
        }
    }

    /**
     * Returns when the host is gone; with native calls.
     *
     * @param killable whether nothing is left to do then, so that the kernel may end this process by itself
     */
    void awaitGoneLinked(boolean killable) {
        int parent = ParentProcess.pid();
        // The same number in another pid namespace is somebody else: then /proc does not show the host.
        boolean isHost = parent == hostPid && (visible || !hasToken);
        OutputPipe pipe = OutputPipe.ofThisProcess();
        boolean watchParent = isHost || (!visible && !pipe.isOpen());
        // Not through a prefix that stays between: the thread of it that started this process may come and go.
        boolean byKernel = watchParent
                && (killable ? ParentProcess.dieWithCreator() : ParentProcess.continueWithCreator())
                && killable;
        long regular = OFTEN_NANOS;
        if (isHost) {
            regular = byKernel || pipe.watchParent(parent) ? SELDOM_NANOS : OFTEN_NANOS;
        }
        int soonLooks = 0;
        // The first look comes after the signal was asked for: a parent that died before that is not missed.
        while (watchParent ? ParentProcess.pid() == parent : !visible || host.isAlive()) {
            boolean broken = pipe.awaitBroken(soonLooks > 0 ? SOON_NANOS : regular);
            if (broken && !watchParent && !visible) {
                return;
            }
            soonLooks = broken ? SOON_LOOKS : Math.max(0, soonLooks - 1);
        }
    }
}

package dev.knitting.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The pipe behind a worker's standard output, watched for the end of whoever reads it: the kernel closes a dead host's
 * side of it at once, whatever pid namespaces or command prefixes lie between, and a thread that waits for that costs
 * nothing.
 *
 * <p>Holds a descriptor of its own: a task may close {@code System.out}. Never closed, it lives as long as the process.
 * Needs {@link NativeAccess#enabled()}. One thread.
 */
public final class OutputPipe {
    private static final int STANDARD_OUTPUT = 1;
    private static final int NONE = -1;

    private final MemorySegment scratch = Arena.global().allocate(LinuxCalls.POLL_SCRATCH_BYTES, 8);
    private int fd;
    private int parent = NONE;

    private OutputPipe(int fd) {
        this.fd = fd;
    }

    /** The pipe of this process's standard output. If that is none (a file, a terminal), it is never seen to break. */
    public static OutputPipe ofThisProcess() {
        return new OutputPipe(
                LinuxCalls.isPipe(STANDARD_OUTPUT) ? LinuxCalls.duplicateCloseOnExec(STANDARD_OUTPUT) : NONE);
    }

    /** Whether there is a pipe, and somebody read it when it was last looked at. */
    public boolean isOpen() {
        return fd >= 0;
    }

    /**
     * From now on waits end also when this process's parent does, where the kernel can show that (Linux 5.3) and a
     * sandbox lets it.
     *
     * @param pid the parent, alive: its number is not somebody else's yet
     * @return whether it can
     */
    public boolean watchParent(int pid) {
        parent = LinuxCalls.openProcess(pid);
        return parent >= 0;
    }

    /**
     * Waits until nobody reads the pipe any more; a plain sleep if there is no pipe or it has broken before. A signal
     * ends it early.
     *
     * @param nanos longest wait
     * @return whether the pipe broke during this wait
     */
    public boolean awaitBroken(long nanos) {
        // The kernel skips a descriptor that is negative.
        int seen = LinuxCalls.awaitPeerGone(scratch, fd, parent, nanos);
        // Not closed: a number that is used again must not be polled by mistake.
        if ((seen & LinuxCalls.PROCESS_ENDED) != 0) {
            parent = NONE;
        }
        if ((seen & LinuxCalls.PEER_GONE) == 0) {
            return false;
        }
        fd = NONE;
        return true;
    }
}

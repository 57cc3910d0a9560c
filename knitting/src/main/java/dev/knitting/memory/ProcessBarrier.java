package dev.knitting.memory;

import java.lang.invoke.VarHandle;

/**
 * An asymmetric full fence between processes (Linux {@code membarrier}, global expedited).
 *
 * <p>A handshake of the form "store mine, then load yours" needs a full fence (store to load) on both sides. Where one
 * side runs it on every call and the other one rarely, the rare side can pay for both:
 *
 * <pre>
 *   fast side (each call)                  slow side (before it sleeps)
 *   store item          (release)          store bell = ARMED   (release)
 *   ProcessBarrier.compilerFence()         ProcessBarrier.global()
 *   load bell           (acquire)          load item            (acquire)
 * </pre>
 *
 * <p><b>What is relied on.</b> The process of every fast side has called {@link #register()}. When {@code global()}
 * returns, every thread of every registered process that was running has executed a full fence at some point between
 * its call and its return; a thread that was not running has passed through a context switch, which is one too. So
 * either the fast side's store was before that point and the slow side's load sees it, or its load is after it and sees
 * ARMED. For this, the fast side's two accesses must also stay in program order in the compiled code: that is what
 * {@link #compilerFence()} is for. Its release and acquire fences order all but a store before a later load in the Java
 * memory model; that HotSpot's compilers do not move a load across them either is an assumption about the
 * implementation, not the specification. Whoever does not want to rely on it, and everybody when {@link #register()}
 * answers false in one of the processes, uses {@link VarHandle#fullFence()} on the fast side.
 *
 * <p>Registration belongs to a process and is lost by exec: each JVM registers for itself. Any thread may call. Needs
 * {@link NativeAccess#enabled()}; without it nothing is supported.
 */
public final class ProcessBarrier {
    private static final int QUERY = 0;
    private static final int GLOBAL_EXPEDITED = 1 << 1;
    private static final int REGISTER_GLOBAL_EXPEDITED = 1 << 2;
    private static final int NEEDED = GLOBAL_EXPEDITED | REGISTER_GLOBAL_EXPEDITED;

    private ProcessBarrier() {}

    /** Whether the kernel has the barrier and native access is on. Links native code if it was not linked. */
    public static boolean isSupported() {
        if (!NativeAccess.enabled()) {
            return false;
        }
        int commands = LinuxCalls.membarrier(QUERY);
        return commands >= 0 && (commands & NEEDED) == NEEDED;
    }

    /**
     * Lets the barriers of other processes reach the threads of this one. May be repeated.
     *
     * @return false if it is not supported: then the fast side must use full fences
     */
    public static boolean register() {
        return isSupported() && LinuxCalls.membarrier(REGISTER_GLOBAL_EXPEDITED) == 0;
    }

    /**
     * A full fence in the calling thread and in every running thread of every registered process. Takes microseconds.
     *
     * @throws IllegalStateException if it is not supported: a fence that did not happen must not go unseen
     */
    public static void global() {
        int result = LinuxCalls.membarrier(GLOBAL_EXPEDITED);
        if (result != 0) {
            throw new IllegalStateException("membarrier failed: errno=" + -result);
        }
    }

    /**
     * The fast side's half: keeps the compiler from swapping the accesses around it. No instruction on x86-64, light
     * ones on aarch64.
     */
    public static void compilerFence() {
        VarHandle.releaseFence();
        VarHandle.acquireFence();
    }
}

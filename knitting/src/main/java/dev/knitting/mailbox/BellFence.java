package dev.knitting.mailbox;

import dev.knitting.memory.ProcessBarrier;
import java.lang.invoke.VarHandle;

/**
 * The store-to-load order between "publish, then look at the bell" and "arm, then look for what was published".
 *
 * <p>Symmetric: a full fence on both sides. It makes each publication wait until its line has travelled (ADR-0003).
 * Asymmetric: the sleeper runs the kernel's process-wide barrier, which puts a full fence into every running thread of
 * every process that registered for it; the publisher then needs no more than that its store and its load stay in
 * program order. A pool uses one of the two for its whole life.
 */
public final class BellFence {
    private BellFence() {}

    /** Between publication and the look at the bell. */
    public static void publisher(boolean asymmetric) {
        if (asymmetric) {
            // No instruction on x86-64: keeps the compiler from moving the load of the bell above the publication.
            VarHandle.releaseFence();
            VarHandle.acquireFence();
        } else {
            VarHandle.fullFence();
        }
    }

    /** Between arming and the look for what was published. */
    public static void sleeper(boolean asymmetric) {
        if (asymmetric) {
            ProcessBarrier.global();
        } else {
            VarHandle.fullFence();
        }
    }
}

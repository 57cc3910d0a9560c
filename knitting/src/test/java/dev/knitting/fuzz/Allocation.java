package dev.knitting.fuzz;

import java.lang.management.ManagementFactory;

/** How much memory a piece of work takes on its thread. */
public final class Allocation {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /**
     * Runs the work, and fails if it allocates more than a bound. Work that does so is run again: the first time it may
     * have loaded classes, which a fuzzer rewrites on this thread.
     *
     * @param mostBytes the bound
     */
    public static void bounded(long mostBytes, Runnable work) {
        if (allocated(work) > mostBytes) {
            long again = allocated(work);
            if (again > mostBytes) {
                throw new AssertionError("allocated too much: bytes=" + again + ", limit=" + mostBytes);
            }
        }
    }

    private static long allocated(Runnable work) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        work.run();
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}

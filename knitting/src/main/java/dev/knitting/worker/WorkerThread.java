package dev.knitting.worker;

import dev.knitting.TaskContext;
import org.jspecify.annotations.Nullable;

/** The thread that runs a worker's tasks, in the host or in a child process. Daemon. */
public final class WorkerThread extends Thread implements TaskContext.Carrier {
    private static final long DEFAULT_STACK = 0;

    private final int workerId;
    /** Set by the loop, on this thread. */
    private @Nullable WorkerLoop loop;

    /**
     * A thread for this worker. It inherits no thread locals from its creator, which happened to open the pool: processes
     * have none either, and a worker lives longer than whatever they belong to. The context class loader is the creator's.
     *
     * @param work the loop, and what comes after it
     */
    public WorkerThread(String name, int workerId, Runnable work) {
        super(null, work, name, DEFAULT_STACK, false);
        this.workerId = workerId;
        setDaemon(true);
        setContextClassLoader(Thread.currentThread().getContextClassLoader());
    }

    /** Says who knows the call that this thread runs. */
    void runs(WorkerLoop current) {
        loop = current;
    }

    /** Whether this is the thread of that loop. */
    @SuppressWarnings("ReferenceEquality") // this very one
    boolean runsFor(WorkerLoop asked) {
        return loop == asked;
    }

    @Override
    public TaskContext taskContext() {
        WorkerLoop current = loop;
        return current == null ? new BetweenCalls(workerId) : current.context(workerId);
    }
}

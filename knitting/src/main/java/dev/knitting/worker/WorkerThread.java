package dev.knitting.worker;

import dev.knitting.TaskContext;
import org.jspecify.annotations.Nullable;

/** The thread that runs a worker's tasks, in the host or in a child process. Daemon. */
public final class WorkerThread extends Thread implements TaskContext.Carrier {
    private final int workerId;
    /** Set by the loop, on this thread. */
    private @Nullable WorkerLoop loop;

    /**
     * A thread for this worker.
     *
     * @param work the loop, and what comes after it
     */
    public WorkerThread(String name, int workerId, Runnable work) {
        super(null, work, name);
        this.workerId = workerId;
        setDaemon(true);
    }

    /** Says who knows the call that this thread runs. */
    void runs(WorkerLoop current) {
        loop = current;
    }

    @Override
    public TaskContext taskContext() {
        WorkerLoop current = loop;
        return current == null ? new BetweenCalls(workerId) : current.context(workerId);
    }
}

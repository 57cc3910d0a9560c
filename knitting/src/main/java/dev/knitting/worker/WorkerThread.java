package dev.knitting.worker;

import dev.knitting.TaskContext;

/** The thread that runs a worker's tasks, in the host or in a child process. Daemon. */
public final class WorkerThread extends Thread implements TaskContext.Carrier {
    private final TaskContext context;

    /**
     * A thread for this worker.
     *
     * @param work the loop, and what comes after it
     */
    public WorkerThread(String name, int workerId, Runnable work) {
        super(null, work, name);
        this.context = new WorkerContext(workerId);
        setDaemon(true);
    }

    @Override
    public TaskContext taskContext() {
        return context;
    }

    /** What a task can ask in this worker. */
    private record WorkerContext(int workerId) implements TaskContext {}
}

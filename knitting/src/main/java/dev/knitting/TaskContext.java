package dev.knitting;

/**
 * What a running task can ask about itself. Outside a worker it is a context that is never cancelled, so that tasks stay
 * testable as plain methods.
 */
public interface TaskContext {
    /** The context of the calling thread's task, or the one for code outside a worker. Never null. */
    static TaskContext current() {
        return Thread.currentThread() instanceof Carrier carrier ? carrier.taskContext() : OutsideContext.INSTANCE;
    }

    /** Whether the calling thread runs tasks of a pool. */
    static boolean inWorker() {
        return Thread.currentThread() instanceof Carrier;
    }

    /** Number of the worker within its pool, from 0; -1 outside a worker. */
    int workerId();

    /** Implemented by the threads that run tasks; users never implement it. */
    interface Carrier {
        /** The context of the task that this thread runs. */
        TaskContext taskContext();
    }
}

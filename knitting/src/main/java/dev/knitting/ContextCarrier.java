package dev.knitting;

import java.util.Map;

/**
 * Moves a small map of strings with each call of a pool, from the thread that submits to the thread that runs the task:
 * a logging context, a trace id. Named by its class, see {@link PoolBuilder#context}: the host has one object of it and
 * so has each worker process; thread workers use the host's. Any number of threads may call it at once.
 *
 * <p>It travels one way. What a task changes in its context is not seen by the host, and the stage of an asynchronous
 * task goes on without it.
 */
public interface ContextCarrier {
    /** Most entries of a context. */
    int MAX_ENTRIES = 64;
    /** Most characters of a context, names and values together. */
    int MAX_CHARS = 8192;

    /**
     * What the submitting thread has now; called once a call, by that thread.
     *
     * <p>A context beyond {@link #MAX_ENTRIES} or {@link #MAX_CHARS} fails the call with {@link
     * ErrorCode#PAYLOAD_TOO_LARGE}, one with a null in it or an exception thrown here with {@link
     * ErrorCode#BAD_OPTION}.
     */
    Map<String, String> capture();

    /**
     * Makes it the running thread's context, right before the task; called if there is something to restore.
     *
     * @param context in the order in which it was captured; the callee's own
     */
    void restore(Map<String, String> context);

    /** Right after each task, with a context or without: the next one must not see what this one had or made. */
    void clear();
}

package dev.knitting.mailbox;

/** Values of a lane's {@code state} word, in the order in which one incarnation of a worker goes through them. */
public final class WorkerState {
    /** Set by the host before the worker exists. */
    public static final int STARTING = 0;
    /** The worker has mapped the lane. */
    public static final int ATTACHED = 1;
    /** The worker accepts calls. */
    public static final int READY = 2;
    /** The worker saw the stop word and enters no more calls. */
    public static final int STOPPED = 3;
    /** The worker could not start; the error text says why. */
    public static final int FAILED = 4;

    private WorkerState() {}
}

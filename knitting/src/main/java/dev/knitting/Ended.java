package dev.knitting;

/** What became of a call's work, whatever its future says: see {@link Call#ended}. */
public enum Ended {
    /** No worker ever entered it: it was refused, could not cross, or was cancelled in time. */
    NEVER_RAN,
    /** The task ran to its end, by a result or an exception, without having learned that it should stop. */
    RETURNED,
    /** The task learned that it should stop (it saw the flag, or was interrupted) and then ended. */
    STOPPED,
    /**
     * The pool killed the worker while it ran the call. A worker that is a thread was interrupted, and perhaps left behind: a
     * task that ignores its interrupt may go on.
     */
    KILLED,
    /** The worker ended by itself while it held the call, which may have run. */
    LOST
}

package dev.knitting.fault;

/** What happens at a {@link FaultPoint}. */
public enum FaultAction {
    /** The process dies by SIGKILL. */
    KILL,
    /** The process stops by SIGSTOP, until somebody continues it. */
    STOP,
    /** The thread sleeps for a while. */
    DELAY,
    /** The code throws an {@link InjectedFault}. */
    THROW
}

package dev.knitting.host;

import java.util.function.Consumer;

/** One running worker, thread or process, as the supervisor sees it. Any thread. */
interface HostWorker {
    /** Of its process (with a command prefix, of the prefix's), or -1 for a thread. */
    long pid();

    /** Whether it may still write to its lane. */
    boolean isAlive();

    /** Ends it by force: a process is killed; a thread is interrupted. Returns at once. */
    void kill();

    /** Has it look at its lane's abort records. Returns at once. */
    void deliverAborts();

    /** Whether {@link #kill} really ends it. */
    boolean canBeKilled();

    /**
     * For a worker that cannot be killed: leaves it behind, if it runs a call that allows it. It touches its lane no more.
     *
     * @return whether it was left behind
     */
    boolean tryAbandon();

    /** What it printed last, or does at the moment: for a report. */
    String activity();

    /** Waits for its end; whether it has ended. */
    boolean awaitEnd(long nanos) throws InterruptedException;

    /** Calls back once when it has ended. */
    void onEnd(Consumer<Ending> callback);

    /** Exit code of its process, or how its loop ended; after its end. */
    int exitCode();
}

package dev.knitting.host;

import dev.knitting.KnittingException;
import java.util.function.Consumer;

/** One running worker, thread or process, as the supervisor sees it. Any thread. */
interface HostWorker {
    /** Whether it may still write to its lane. */
    boolean isAlive();

    /** Ends it by force: a process is killed; a thread is interrupted. Returns at once. */
    void kill();

    /** Has it look at its lane's abort records. Returns at once. */
    void deliverAborts();

    /** Waits for its end; whether it has ended. */
    boolean awaitEnd(long nanos) throws InterruptedException;

    /** Calls back once when it has ended, with the failure that its open calls get. */
    void onEnd(Consumer<KnittingException> callback);
}

package dev.knitting.host;

import java.util.concurrent.atomic.AtomicLong;

/** A thread that settles calls and so runs their callbacks. Daemon; may block without delaying another call. */
final class CallbackThread extends Thread {
    private static final AtomicLong COUNT = new AtomicLong();

    CallbackThread(Runnable work, String poolName) {
        super(null, work, "knitting-callback-" + poolName + "-" + COUNT.incrementAndGet());
        setDaemon(true);
    }
}

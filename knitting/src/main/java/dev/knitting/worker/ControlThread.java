package dev.knitting.worker;

import dev.knitting.mailbox.LaneView;

/** The thread of a worker process that delivers aborts: asleep until the host rings. Daemon. */
final class ControlThread extends Thread {
    /** A safety net for a ring that got lost. */
    private static final long LONGEST_SLEEP_NANOS = 5_000_000_000L;

    private final LaneView lane;
    private final ControlBell bell;
    private final WorkerLoop loop;

    ControlThread(String name, LaneView lane, ControlBell bell, WorkerLoop loop) {
        super(null, null, name);
        setDaemon(true);
        this.lane = lane;
        this.bell = bell;
        this.loop = loop;
    }

    @Override
    public void run() {
        int seen = 0;
        while (true) {
            int requests = lane.requestsAcquire();
            if (requests != seen) {
                seen = requests;
                loop.deliverAborts();
            } else {
                bell.await(seen, LONGEST_SLEEP_NANOS);
            }
        }
    }
}

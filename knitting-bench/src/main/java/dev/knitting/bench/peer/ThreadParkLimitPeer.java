package dev.knitting.bench.peer;

import java.util.concurrent.locks.LockSupport;

/** Two threads wake each other by {@link LockSupport}: the limit of thread pools whose workers sleep. Never spins. */
final class ThreadParkLimitPeer implements Peer {
    private static final long NOTHING = -1;
    private static final long END = -2;

    private volatile long call = NOTHING;
    private volatile long reply = NOTHING;
    private volatile Thread caller = Thread.currentThread();
    private final Thread worker =
            Thread.ofPlatform().daemon().name("limit-park-thread").start(this::serve);

    @Override
    public long inc(long value) {
        caller = Thread.currentThread();
        call = value;
        LockSupport.unpark(worker);
        while (reply == NOTHING) {
            LockSupport.park(this);
        }
        long result = reply;
        reply = NOTHING;
        return result;
    }

    private void serve() {
        while (true) {
            while (call == NOTHING) {
                LockSupport.park(this);
            }
            long value = call;
            if (value == END) {
                return;
            }
            call = NOTHING;
            reply = BenchTasks.inc(value);
            LockSupport.unpark(caller);
        }
    }

    @Override
    public boolean supports(Op op) {
        return op == Op.INC_SYNC;
    }

    @Override
    public String name() {
        return "limit-park-thread";
    }

    @Override
    public Kind kind() {
        return Kind.LIMIT;
    }

    @Override
    public void close() {
        call = END;
        LockSupport.unpark(worker);
        try {
            worker.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

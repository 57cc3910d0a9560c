package dev.knitting.worker;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides whether a worker thread answers a call or the host leaves the thread behind: exactly one of the two happens. A
 * thread that was left behind touches nothing of its lane any more, so another one can take it over.
 *
 * <p>FREE (no guarded call runs) → RUNNING → FREE, or RUNNING → ABANDONED for ever. RUNNING → PASSING → RUNNING while the
 * call writes to its lane, which is a moment.
 */
public final class RunGate {
    private static final int FREE = 0;
    private static final int RUNNING = 1;
    private static final int ABANDONED = 2;
    private static final int PASSING = 3;

    private final AtomicInteger state = new AtomicInteger(FREE);

    /** A gate for one thread. */
    public RunGate() {}

    /** The loop runs a call from here on. The loop's thread. */
    void enter() {
        state.set(RUNNING);
    }

    /** Whether the loop may answer the call; if not, it must end. The loop's thread. */
    boolean leave() {
        return state.compareAndSet(RUNNING, FREE);
    }

    /** Whether the call may write to its lane now; {@link #passed} follows. The loop's thread. */
    boolean tryPass() {
        return state.compareAndSet(RUNNING, PASSING);
    }

    /** The write is over. */
    void passed() {
        state.set(RUNNING);
    }

    /** Leaves the thread behind, if it runs a guarded call that it has not begun to answer. Any thread. */
    public boolean tryAbandon() {
        return state.compareAndSet(RUNNING, ABANDONED);
    }

    /** Whether the thread was left behind. Any thread. */
    public boolean isAbandoned() {
        return state.get() == ABANDONED;
    }
}

package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.TaskOptions;
import dev.knitting.mailbox.SlotMeta;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one call: its timeout, which runs from submission until its result is in the host; its hard timeout, which
 * runs while it is the worker's turn to run it; and the grace that it has once nobody wants it any more.
 *
 * <p>When a run starts, the host does not learn by a message: that would cost every call. It looks. If the worker had
 * nothing else when the call was handed over, that moment is the start. Otherwise the call waits behind others in the
 * lane, and the host looks every few milliseconds whether they are through. So a run is believed to be up to {@link
 * #MOST_POLL_NANOS} shorter than it was, never longer, but for the time that the worker takes to wake up. All by the host's
 * clock and the host's books: what a worker says about itself decides nothing here.
 *
 * <p>Monitor of this object: handing over, end of the wish, and the wheel's looks. Taken before the wheel's lock.
 */
final class CallDeadlines {
    private static final long LEAST_POLL_NANOS = 1_000_000;
    private static final long MOST_POLL_NANOS = 10_000_000;
    /** A worker that has not entered a call whose turn it is for so long is stuck. */
    private static final long STUCK_NANOS = 2_000_000_000L;

    private static final long NONE = -1;

    private final HostCall<?> call;
    private final TaskOptions options;
    private final DeadlineWheel wheel;
    private final Executions executions;
    private final long submittedNanos;
    private final long hardNanos;
    private final long graceNanos;

    private final DeadlineWheel.Deadline soft = new DeadlineWheel.Deadline() {
        @Override
        void expired(long nowNanos) {
            timedOut();
        }
    };
    private final DeadlineWheel.Deadline run = new DeadlineWheel.Deadline() {
        @Override
        void expired(long nowNanos) {
            look(nowNanos);
        }
    };

    /** The lane that the call was handed to last. */
    private volatile @Nullable Lane lane;
    /** What the call fails with because its worker is being ended on its account. */
    private volatile @Nullable KnittingException verdict;
    /** Whether it is known to be the call's turn; since when; and since when it is believed to run. */
    private boolean itsTurn;

    private long turnNanos;
    private long startNanos;
    /** Whether nobody wants the result any more, and since when. */
    private boolean unwanted;

    private long unwantedNanos;

    private CallDeadlines(HostCall<?> call, TaskOptions options, DeadlineWheel wheel, Executions executions) {
        this.call = call;
        this.options = options;
        this.wheel = wheel;
        this.executions = executions;
        this.submittedNanos = System.nanoTime();
        this.hardNanos = TaskOptions.nanosOf(options.hardTimeout());
        this.graceNanos = TaskOptions.nanosOf(options.killAfter());
    }

    /**
     * Gives a new call its limits. The time of its timeout starts here.
     *
     * @return false if its timeout is over already: it must not be submitted
     */
    static boolean give(HostCall<?> call, TaskOptions options, DeadlineWheel wheel, Executions executions) {
        CallDeadlines limits = new CallDeadlines(call, options, wheel, executions);
        call.deadlines = limits;
        if (limits.hardNanos != NONE || limits.graceNanos != NONE) {
            call.flags |= SlotMeta.FLAG_GUARDED;
        }
        long softNanos = TaskOptions.nanosOf(options.timeout());
        if (softNanos == 0) {
            limits.settleTimedOut();
            return false;
        }
        if (softNanos > 0) {
            call.hasDeadline = true; // what TaskContext.remaining() counts down to
            call.deadlineNanos = limits.submittedNanos + softNanos;
            wheel.set(limits.soft, limits.submittedNanos + softNanos);
        }
        return true;
    }

    /** How often the call may run again. */
    int retries() {
        return options.retriesOnCrash();
    }

    /**
     * The call was put into a lane, or, null, into the mailbox that all workers serve. By the thread that did so; the call
     * may have been answered meanwhile.
     */
    void handedTo(@Nullable Lane to) {
        if (hardNanos == NONE && graceNanos == NONE) {
            lane = to; // for the text only
            return;
        }
        synchronized (this) {
            lane = to;
            long now = System.nanoTime();
            itsTurn = to != null && to.outstanding() <= 1;
            turnNanos = now;
            startNanos = now;
            if (call.isDone() && !unwanted) {
                unwanted = true;
                unwantedNanos = now;
            }
            schedule(now);
        }
        if (call.hasArrived()) {
            wheel.cancel(run); // answered, and perhaps before this was set
        }
    }

    /** The lane that the call was handed to last, or null. */
    @Nullable
    Lane lane() {
        return lane;
    }

    /** The result is in the host, or the call has failed there. Any thread; under the lane's drain lock. */
    void arrived() {
        wheel.cancel(soft);
        wheel.cancel(run);
    }

    /** The future was settled by somebody else: by its user, or by its timeout. Any thread. */
    void settledFromOutside() {
        wheel.cancel(soft);
        if (graceNanos == NONE) {
            return;
        }
        synchronized (this) {
            if (!unwanted) {
                unwanted = true;
                unwantedNanos = System.nanoTime();
            }
            if (isHandedOver()) {
                schedule(unwantedNanos);
            }
        }
    }

    // ---- the run; under the monitor

    /** Sets the next look: at the limit that comes first, or soon, if it is not known whether the run has started. */
    private void schedule(long now) {
        long limit = shortest();
        if (limit == NONE) {
            return;
        }
        wheel.set(run, itsTurn ? end() : now + pollNanos(limit));
    }

    private static long pollNanos(long limit) {
        return Math.clamp(limit >> 4, LEAST_POLL_NANOS, MOST_POLL_NANOS);
    }

    private long shortest() {
        if (!unwanted || graceNanos == NONE) {
            return hardNanos;
        }
        return hardNanos == NONE ? graceNanos : Math.min(hardNanos, graceNanos);
    }

    /** When the run must be over. */
    private long end() {
        long byHard = startNanos + hardNanos;
        if (!unwanted || graceNanos == NONE) {
            return byHard;
        }
        long byGrace = (unwantedNanos - startNanos > 0 ? unwantedNanos : startNanos) + graceNanos;
        return hardNanos == NONE || byGrace - byHard < 0 ? byGrace : byHard;
    }

    /** On the wheel's thread: whether the run has started, whether it takes too long. */
    private void look(long now) {
        Lane current;
        boolean byHardTimeout;
        synchronized (this) {
            if (!isHandedOver()) {
                return;
            }
            current = holder();
            if (current == null) {
                schedule(now); // no worker has claimed it yet
                return;
            }
            boolean entered = current.wasEntered(call);
            if (!itsTurn) {
                itsTurn = entered || current.isTurnOf(call);
                turnNanos = now;
                startNanos = now;
            }
            if (!itsTurn || end() - now > 0) {
                schedule(now);
                return;
            }
            if (!entered && now - turnNanos < Math.max(shortest(), STUCK_NANOS)) {
                startNanos = now; // the worker is slow to wake up: nothing runs yet
                wheel.set(run, now + pollNanos(shortest()));
                return;
            }
            byHardTimeout = hardNanos != NONE && startNanos + hardNanos - now <= 0;
        }
        executions.execute(current, call, byHardTimeout);
    }

    /** The lane of the worker that has the call; of a mailbox that all serve, only once one has claimed it. */
    private @Nullable Lane holder() {
        Lane own = lane;
        return own != null ? own : call.completion.dispatcher().laneOf(call);
    }

    /** Whether the call is with the workers, claimed or not. */
    private boolean isHandedOver() {
        Lane own = lane;
        return own != null ? own.holds(call) : call.completion.dispatcher().isInSharedMailbox(call);
    }

    /** The worker could not be ended, and the call goes on: looks again later. */
    void lookAgain(long atNanos) {
        wheel.set(run, atNanos);
    }

    // ---- the timeout

    private void timedOut() {
        if (!call.isSettledOrArrived()) {
            call.completion.runCallback(this::settleTimedOut);
        }
    }

    /** Settles the call; on a callback thread, for user code may depend on it. */
    private void settleTimedOut() {
        switch (options.onTimeout()) {
            case TaskOptions.OnTimeout.Fallback fallback -> call.completeWith(fallback.value());
            case TaskOptions.OnTimeout.Fail fail -> call.completeExceptionally(timeout(null));
            case TaskOptions.OnTimeout.Failure failure -> call.completeExceptionally(made(failure));
        }
    }

    private RuntimeException made(TaskOptions.OnTimeout.Failure failure) {
        if (call.isDone()) {
            return timeout(null); // nobody will see it: do not bother the supplier
        }
        try {
            RuntimeException error = failure.supplier().get();
            return error != null ? error : timeout(null);
        } catch (Throwable e) {
            return timeout(e);
        }
    }

    private KnittingException timeout(@Nullable Throwable cause) {
        boolean handedOver = isHandedOver();
        Lane current = holder();
        String where = !handedOver
                ? "queued, it never runs"
                : current != null && current.wasEntered(call)
                        ? "running, it is told to stop"
                        : "handed to a worker, not entered yet";
        String text = KnittingException.message(
                "the call timed out",
                "task",
                call.task.target(),
                "limit",
                options.timeout(),
                "option",
                "timeout",
                "state",
                where);
        return new KnittingException(ErrorCode.TIMEOUT, text, cause);
    }

    /** From now on the call fails so, whatever its worker still answers. */
    void condemn(KnittingException failure) {
        verdict = failure;
    }

    @Nullable
    KnittingException verdict() {
        return verdict;
    }

    /** The failure of a call that ran for longer than its hard timeout. */
    KnittingException hardTimeout(int worker, String consequence) {
        return KnittingException.of(
                ErrorCode.HARD_TIMEOUT,
                "the call ran for too long",
                "task",
                call.task.target(),
                "limit",
                options.hardTimeout(),
                "option",
                "hardTimeout",
                "worker",
                worker,
                "consequence",
                consequence);
    }
}

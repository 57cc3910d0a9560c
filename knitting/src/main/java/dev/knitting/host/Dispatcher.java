package dev.knitting.host;

import dev.knitting.Inliner;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.QueuePolicy;
import dev.knitting.trace.FlightEvents;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Decides which lane runs a call, and keeps the calls that no lane has room for. Any number of threads; no lock on the
 * way of a call that finds room.
 *
 * <p>No call is stranded beside an idle lane: whoever queues a call afterwards takes each lane's drain lock once, drains
 * it and tries to flush; whoever drains looks at the queue after it has let go of the lock. The lock's order makes one of
 * the two see the other.
 */
final class Dispatcher {
    private static final int SWEEP_AT = 1_024;

    private final String poolName;
    private final int capacity;
    private final QueuePolicy policy;
    private final int asyncInFlight;
    private final Completion completion;
    /** The mailbox that all workers serve, or null if each has its own. */
    private final @Nullable SharedMailbox shared;

    private final LaneSelector selector;
    /** The host's own part in the work, or null. */
    private final @Nullable InlineLane inline;

    private final ConcurrentLinkedDeque<HostCall<?>> queue = new ConcurrentLinkedDeque<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final Semaphore room;
    /** Calls that were withdrawn but are in the queue still; a hint: a sweep and a poll may both count one. */
    private final AtomicInteger withdrawn = new AtomicInteger();

    private final AtomicBoolean sweeping = new AtomicBoolean();
    /** Dead workers whose calls are being brought back. */
    private final AtomicInteger homecoming = new AtomicInteger();

    private volatile Lane[] lanes;
    /** New calls are refused. */
    private volatile boolean closed;
    /** Nothing runs any more: a call that finds itself in the queue afterwards fails. */
    private volatile boolean finished;
    /** Why no worker can be started, or null. Until then calls wait. */
    private volatile @Nullable KnittingException stalled;

    Dispatcher(PoolOptions options, Completion completion, Lane[] lanes, @Nullable SharedMailbox shared) {
        this.poolName = options.name();
        this.capacity = options.queueCapacity();
        this.policy = options.queuePolicy();
        this.asyncInFlight = options.tuning().asyncInFlight();
        this.completion = completion;
        this.room = new Semaphore(capacity);
        this.lanes = lanes;
        this.shared = shared;
        this.selector = LaneSelector.of(options.tuning().dispatch().balancer());
        Inliner inliner = options.tuning().dispatch().inliner();
        this.inline = inliner == null ? null : new InlineLane(poolName, inliner, completion);
        if (shared != null) {
            shared.servedBy(lanes);
        }
    }

    Lane[] lanes() {
        return lanes;
    }

    /** Whether all workers serve one mailbox. */
    boolean isShared() {
        return shared != null;
    }

    /** The lane whose worker holds a call, or null if none does yet, or any more. */
    @Nullable
    Lane laneOf(HostCall<?> call) {
        for (Lane lane : lanes) {
            if (lane.holds(call)) {
                return lane;
            }
        }
        return null;
    }

    /** Whether a call is in the mailbox that all workers serve, claimed or not, or has begun there. */
    boolean isInSharedMailbox(HostCall<?> call) {
        return shared != null && (shared.find(call.ticket) == call || laneOf(call) != null);
    }

    /** A worker is missing, or held up: another one shall look, if a call waits for it. */
    void wakeOthers() {
        if (shared != null && shared.outstanding() > 0) {
            shared.ringAll();
        }
    }

    /** Seats a new worker's lane in the place of an old one, without offering it anything. By the supervisor, one at a time. */
    void replace(int seat, Lane lane) {
        Lane[] changed = lanes.clone();
        changed[seat] = lane;
        lanes = changed;
        stalled = null;
        if (shared != null) {
            shared.reopen();
            shared.servedBy(changed);
            VarHandle.fullFence(); // lanes -> look at what is wanted, at what is open; partners: HostCall.want, ring
            for (HostCall<?> call : shared.open()) {
                call.recheck(); // aborted before: the new worker is to know
            }
            wakeOthers(); // it may have looked before the last call, and slept where nobody rang
        }
    }

    /** No worker is left and none can be started: what comes fails, until one starts after all. Not while one is seated. */
    void stall(KnittingException reason) {
        stalled = reason;
        if (shared != null) {
            shared.close();
        }
    }

    /** After {@link #stall}, under no lock: fails what waits. */
    void failStalled(KnittingException reason) {
        failIfFinished();
        failUnclaimed(reason);
    }

    /** Calls waiting in the host. */
    int queued() {
        return queued.get();
    }

    /** Entries of the queue, those that were withdrawn but not swept out included; counts them one by one. */
    int queueLength() {
        return queue.size();
    }

    /**
     * Whether nothing is open: no call waits, none is with a worker, none is on its way back from a dead one. A call
     * may go from the queue to a lane that was looked at already: then that lane's tickets moved meanwhile.
     */
    boolean isQuiet() {
        long tickets = ticketCount();
        return isQuietAtAGlance() && ticketCount() == tickets;
    }

    private long ticketCount() {
        if (shared != null) {
            return shared.nextTicket();
        }
        long sum = 0;
        for (Lane lane : lanes) {
            sum += lane.nextTicket();
        }
        return sum;
    }

    private boolean isQuietAtAGlance() {
        if (queued.get() != 0 || homecoming.get() != 0 || (inline != null && inline.isBusy())) {
            return false;
        }
        for (Lane lane : lanes) {
            if (lane.outstanding() > 0 || lane.begunCount() > 0) {
                return false;
            }
        }
        return queued.get() == 0 && homecoming.get() == 0;
    }

    /** Between this and {@link #requeue} calls are neither with a worker nor in the queue. */
    void expectRequeue() {
        homecoming.incrementAndGet();
    }

    /** Sum over the lanes of the results taken; grows. */
    long settledCount() {
        long sum = 0;
        for (Lane lane : lanes) {
            sum += lane.settledCount();
        }
        return sum;
    }

    /** Brings a new call on its way; never blocks but for a full queue with {@link QueuePolicy#BLOCK}. */
    void submit(HostCall<?> call) {
        submit(call, true);
    }

    /** As {@link #submit}, by a thread that is not the user's to hold up: the bound of the queue gives way. */
    void submitWithoutWaiting(HostCall<?> call) {
        submit(call, false);
    }

    private void submit(HostCall<?> call, boolean mayWait) {
        if (closed) {
            refuse(call);
            return;
        }
        if (queued.get() == 0 && tryOffer(call, 0)) {
            return;
        }
        // The mailboxes are full: take what is ready, which is work that somebody must do anyway.
        if (completion.drainOnce(null) && queued.get() == 0 && tryOffer(call, 0)) {
            return;
        }
        KnittingException reason = stalled;
        if (reason != null) {
            fail(call, reason);
            return;
        }
        if (acquireRoom(call, mayWait)) {
            call.enterQueue();
            queue.addLast(call);
            queued.incrementAndGet();
            settleStranded();
        }
    }

    /**
     * Puts calls back in front that were never entered, in their order; after {@link #expectRequeue}. Not bounded: they
     * had their place already.
     */
    void requeue(List<HostCall<?>> calls) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            HostCall<?> call = calls.get(i);
            queued.incrementAndGet();
            call.enterQueue();
            queue.addFirst(call);
            call.recheck();
        }
        homecoming.decrementAndGet();
        flush();
        failIfFinished();
    }

    private boolean acquireRoom(HostCall<?> call, boolean mayWait) {
        if (tryAcquireRoom(call)) {
            return true;
        }
        if (policy == QueuePolicy.REJECT) {
            call.fail(Failures.queueFull(poolName, capacity));
            completion.deliver(call);
            return false;
        }
        if (!mayWait || !completion.mayBlock()) {
            return true; // callbacks and workers never block: the bound gives way
        }
        if (policy == QueuePolicy.CALLER_RUNS && CallerRuns.tryRun(call)) {
            completion.deliver(call);
            return false;
        }
        FlightEvents.Recording wait = FlightEvents.queueWait(poolName, call.task.target());
        boolean hasRoom = awaitRoom(call);
        if (wait != null) {
            wait.finish();
        }
        return hasRoom;
    }

    private boolean awaitRoom(HostCall<?> call) {
        while (!tryAcquireRoom(call)) {
            if (closed) {
                refuse(call);
                return false;
            }
            if (call.isDone()) {
                return false; // its timeout came first: there is nothing to queue
            }
            if (!completion.drainOnce(null)) {
                completion.pauseForRoom(room);
            }
        }
        return true;
    }

    private boolean tryAcquireRoom(HostCall<?> call) {
        call.hasRoom = room.tryAcquire();
        return call.hasRoom;
    }

    private void settleStranded() {
        completion.drainAllBlocking();
        flush();
        failIfFinished();
    }

    /** After putting a call into the queue: whoever fails what waits may have been there already. */
    private void failIfFinished() {
        KnittingException reason = finished ? Failures.poolClosed(poolName) : stalled;
        if (reason != null) {
            failQueued(reason);
        }
    }

    /**
     * Offers a call to a worker or, if it takes part, to the host.
     *
     * @param waiting other calls in the queue
     */
    private boolean tryOffer(HostCall<?> call, int waiting) {
        if (inline != null && inline.offer(call, lanes, waiting)) {
            return true;
        }
        while (true) {
            Lane lane = null;
            if (shared == null) {
                lane = call.task.isAsync() ? selectForAsync() : selector.select(lanes);
                if (lane == null) {
                    return false;
                }
            } else if (call.task.isAsync() && !mayBegin()) {
                return false;
            }
            switch (lane != null
                    ? lane.offer(call)
                    : Objects.requireNonNull(shared).offerIfRoom(call)) {
                case ACCEPTED -> {
                    if (call.deadlines != null) {
                        call.deadlines.handedTo(lane);
                    }
                    return true;
                }
                case SETTLED -> {
                    completion.deliver(call);
                    return true;
                }
                case FULL -> {
                    return false;
                }
                case CLOSED -> {
                    if (lane == null) {
                        return false;
                    } // else the lane closed under our hands: look for another one
                }
            }
        }
    }

    /** Whether one more async call may be open at the workers. */
    private boolean mayBegin() {
        long open = Objects.requireNonNull(shared).outstanding();
        Lane[] all = lanes;
        for (Lane lane : all) {
            open += lane.begunCount();
        }
        return open < (long) asyncInFlight * all.length;
    }

    private boolean hasRoom() {
        if (shared != null) {
            return shared.hasRoom();
        }
        for (Lane lane : lanes) {
            if (lane.hasRoom()) {
                return true;
            }
        }
        return inline != null && inline.isFree();
    }

    /**
     * Offers queued calls while there is room. Any thread; user code (encoding) runs here, under no lock.
     *
     * <p>A call that was put back is tried again only if results were taken since: they may have made the room that it
     * lacked. If none were, whoever takes the next ones finds the call in the queue. Trying on would keep this thread,
     * which may be a submitter's, until a large argument of another call is done with.
     */
    void flush() {
        while (queued.get() > 0 && hasRoom()) {
            long settled = settledCount();
            HostCall<?> call = queue.pollFirst();
            if (call == null) {
                return;
            }
            if (!call.tryLeaveQueue()) {
                withdrawn.decrementAndGet();
                continue;
            }
            if (call.isUnwanted()) {
                leftQueue(call); // cancelled while it waited: it never runs
                call.neverRan();
                completion.deliver(call);
                continue;
            }
            if (tryOffer(call, queued.get() - 1)) {
                leftQueue(call);
                call.recheck();
            } else {
                call.enterQueue();
                queue.addFirst(call);
                call.recheck();
                failIfFinished();
                completion.drainAllBlocking();
                if (settledCount() == settled) {
                    return;
                }
            }
        }
    }

    /**
     * Takes a call that is not wanted any more out of the queue, if it is there: it never runs, and its place is free at
     * once. What is left of it in the queue is skipped later, or swept out when it is most of what is there.
     */
    boolean withdraw(HostCall<?> call) {
        if (!call.tryWithdraw()) {
            return false;
        }
        leftQueue(call);
        call.neverRan();
        int left = withdrawn.incrementAndGet();
        if (left > SWEEP_AT && left > queued.get() && sweeping.compareAndSet(false, true)) {
            try {
                AtomicInteger swept = new AtomicInteger();
                queue.removeIf(each -> each.isWithdrawn() && swept.incrementAndGet() > 0);
                withdrawn.addAndGet(-swept.get());
            } finally {
                sweeping.set(false);
            }
        }
        return true;
    }

    private void leftQueue(HostCall<?> call) {
        queued.decrementAndGet();
        if (call.hasRoom) {
            call.hasRoom = false;
            room.release();
        }
    }

    /** The lane with the fewest open calls that may have one more; null if none may. */
    private @Nullable Lane selectForAsync() {
        Lane best = null;
        long bestLoad = asyncInFlight;
        for (Lane lane : lanes) {
            long load = lane.outstanding() + lane.begunCount();
            if (load < bestLoad && lane.hasRoom()) {
                best = lane;
                bestLoad = load;
            }
        }
        return best;
    }

    // ---- closing

    /** Refuses new calls. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    void refuse(HostCall<?> call) {
        fail(call, Failures.poolClosed(poolName));
    }

    private void fail(HostCall<?> call, KnittingException reason) {
        call.fail(new KnittingException(reason.code(), String.valueOf(reason.getMessage()), reason.getCause()));
        completion.deliver(call);
    }

    /** Nothing runs any more: fails every call that waits in the host, now and later. */
    void finish() {
        finished = true;
        if (shared != null) {
            shared.close();
        }
        failIfFinished();
        failUnclaimed(Failures.poolClosed(poolName));
        if (inline != null) {
            inline.close(Failures.poolClosed(poolName));
        }
    }

    /** Fails what no worker has claimed, and what nobody could publish any more. */
    private void failUnclaimed(KnittingException reason) {
        if (shared == null) {
            return;
        }
        List<HostCall<?>> unclaimed;
        synchronized (this) {
            unclaimed = shared.takeUnclaimed();
        }
        unclaimed.forEach(each -> fail(each, reason));
    }

    private void failQueued(KnittingException reason) {
        List<HostCall<?>> failed = new ArrayList<>();
        HostCall<?> call;
        while ((call = queue.pollFirst()) != null) {
            if (!call.tryLeaveQueue()) {
                withdrawn.decrementAndGet();
                continue;
            }
            leftQueue(call);
            failed.add(call);
        }
        failed.forEach(each -> fail(each, reason));
    }
}

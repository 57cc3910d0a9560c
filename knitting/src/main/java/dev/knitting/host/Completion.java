package dev.knitting.host;

import dev.knitting.TaskContext;
import dev.knitting.doorbell.BellSleeper;
import dev.knitting.doorbell.SpinBudget;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.mailbox.BellFence;
import dev.knitting.trace.FlightEvents;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Who drains the return mailboxes, who sleeps, who completes.
 *
 * <ol>
 *   <li>A waiting caller helps: while it spins it drains every lane. It settles its own call; calls of others it only
 *       routes: to the thread that waits for them, or to a callback thread.
 *   <li>Its spin over, it becomes the leader if there is none, and sleeps on the host's bell; others park.
 *   <li>The leader that is woken drains, hands leadership on, and unparks the owners: one context switch a parked call.
 *   <li>When nobody waits, or only virtual threads do, the {@link Watcher} leads.
 * </ol>
 *
 * <p>Leadership (protocol notes, "Leader among waiting callers"): register as waiter, full fence, try to lead. The leader
 * arms, fences, looks at the mailboxes and then at its own call, since an unpark does not reach it. Whoever settles a call
 * marks it, fences, then looks at its waiter and at the leader. Whoever leaves and sees no leader wakes a waiter that may
 * lead.
 */
final class Completion {
    static final long NO_DEADLINE = Long.MAX_VALUE;

    private static final int SPINS_BEFORE_CLOCK = 64;
    private static final int LOOKS_PER_PAUSE = 4;
    private static final int VIRTUAL_SPINS = 256;
    private static final int FREE_SPINS = 256;
    private static final long SLICE_NANOS = 20_000_000;
    private static final long YOUNG_WORKER_NANOS = 100_000;
    private static final long ROOM_PAUSE_NANOS = 100_000;
    private static final long QUIET_PAUSE_NANOS = 50_000;
    private static final long MOST_SETTLE_NANOS = 2_000_000_000L;

    private final String poolName;
    private @Nullable HostBuffers buffers;
    private final SpinBudget budget;
    private final long parkNanos;
    private final boolean asymmetric;
    private final int processors = Runtime.getRuntime().availableProcessors();
    private final AtomicInteger spinners = new AtomicInteger();
    private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
    private final ConcurrentLinkedQueue<HostCall<?>> waiters = new ConcurrentLinkedQueue<>();
    private final ThreadPoolExecutor callbacks;
    /** Calls that callback threads have been given and not settled yet. */
    private final Set<HostCall<?>> settling = ConcurrentHashMap.newKeySet();

    private final Watcher watcher;
    private final @Nullable Executor callbackExecutor;

    private @Nullable Dispatcher dispatcher;
    private volatile @Nullable BellSleeper bell;
    private IntConsumer beats = queued -> {};

    Completion(
            String poolName, long spinNanos, long parkNanos, boolean asymmetric, @Nullable Executor callbackExecutor) {
        this.poolName = poolName;
        this.callbackExecutor = callbackExecutor;
        this.budget = new SpinBudget(spinNanos);
        this.parkNanos = parkNanos;
        this.asymmetric = asymmetric;
        this.callbacks = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                5,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                this::callbackThread,
                // after close: a call that fails so late must settle all the same
                (settling, executor) -> callbackThread(settling).start());
        this.watcher = new Watcher(poolName, this);
    }

    private Thread callbackThread(Runnable work) {
        return new CallbackThread(work, poolName);
    }

    /** Begins to work. The bell may be replaced later by {@link #replaceBell}. */
    void start(Dispatcher calls, BellSleeper hostBell) {
        this.dispatcher = calls;
        this.bell = hostBell;
        watcher.start();
    }

    /** Sleeps on other words from now on. */
    void replaceBell(BellSleeper hostBell) {
        BellSleeper old = bell;
        bell = hostBell;
        if (old != null) {
            old.kick();
        }
    }

    /** Who is told now and then how many calls wait; before {@link #start}. */
    void onBeat(IntConsumer tools) {
        beats = tools;
    }

    void beat(int queued) {
        beats.accept(queued);
    }

    /** The buffers that arguments may name; before the first call. */
    void lends(@Nullable HostBuffers shared) {
        buffers = shared;
    }

    /** The buffers that every worker has, or null if there are none. */
    @Nullable
    HostBuffers buffers() {
        return buffers;
    }

    String poolName() {
        return poolName;
    }

    Dispatcher dispatcher() {
        return java.util.Objects.requireNonNull(dispatcher, "not started");
    }

    BellSleeper bell() {
        return java.util.Objects.requireNonNull(bell, "not started");
    }

    AtomicReference<@Nullable Thread> leader() {
        return leader;
    }

    void fenceAfterArming() {
        BellFence.sleeper(asymmetric);
    }

    // ---- draining

    /** After a submission: makes sure that somebody looks after the call if its submitter does not. */
    void submitted() {
        watcher.wakeIfIdle();
    }

    /** Drains every lane that has results; whether there were any. */
    boolean drainOnce(@Nullable HostCall<?> mine) {
        Dispatcher calls = dispatcher();
        boolean any = false;
        boolean looked = false;
        for (Lane lane : calls.lanes()) {
            if (lane.hasResult()) {
                looked = true; // a call that has begun makes room and settles nothing
                HostCall<?> drained = lane.drain(false);
                if (drained != null) {
                    any = true;
                    deliverAll(drained, mine);
                }
            }
        }
        if (looked && calls.queued() > 0) {
            calls.flush();
        }
        return any;
    }

    /** Takes each lane's drain lock once, so that what happened before is seen by later drainers. */
    void drainAllBlocking() {
        for (Lane lane : dispatcher().lanes()) {
            HostCall<?> drained = lane.drain(true);
            if (drained != null) {
                deliverAll(drained, null);
            }
        }
    }

    /** Brings a list of drained calls to the threads that settle them. */
    void deliverDrained(HostCall<?> first) {
        deliverAll(first, null);
    }

    private void deliverAll(HostCall<?> first, @Nullable HostCall<?> mine) {
        if (first == mine && first.nextDrained == null && !first.isOwnedByDrainer()) {
            return; // the usual case of a caller that waits: it takes the outcome itself
        }
        if (Faults.ENABLED) {
            Faults.hit(FaultPoint.HOST_DRAINED);
        }
        boolean fenced = false;
        HostCall<?> call = first;
        while (call != null) {
            HostCall<?> following = call.nextDrained;
            call.nextDrained = null;
            if (call.isOwnedByDrainer()) {
                settleOwn(call);
            } else if (call != mine) {
                if (!fenced) {
                    VarHandle.fullFence(); // arrivals -> look at waiters and leader
                    fenced = true;
                }
                deliverFenced(call);
            }
            call = following;
        }
    }

    /** The calling thread submitted the call and has just drained it. */
    private void settleOwn(HostCall<?> call) {
        if (call.isDone()) {
            call.dropTaken();
            VarHandle.fullFence(); // arrived -> look whether somebody waits for the end of the work
            call.reportEnd();
            return;
        }
        call.settleTaken(); // completing is a compare-and-set, and so a full fence: done -> look at the waiter
        call.reportEnd();
        Thread waiter = call.waiter();
        if (waiter != null) {
            wake(waiter);
        }
    }

    /** Brings one arrived call to the thread that settles it. */
    void deliver(HostCall<?> call) {
        VarHandle.fullFence(); // arrival -> look at waiter and leader
        deliverFenced(call);
    }

    private void deliverFenced(HostCall<?> call) {
        if (call.isDone()) {
            call.dropOutcome();
            return;
        }
        Thread waiter = call.waiter();
        if (waiter != null) {
            wake(waiter);
        } else if (call.invoked) {
            return; // its owner spins, and takes it
        } else if (call.owner == Thread.currentThread() && call.getNumberOfDependents() == 0) {
            call.settle();
        } else {
            later(call);
        }
    }

    /** Runs something that may run user code on a callback thread. */
    void runCallback(Runnable work) {
        try {
            callbacks.execute(work);
        } catch (OutOfMemoryError e) {
            // No thread to be had: better in an odd place than never.
            System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, "a callback had no thread of its own", e);
            work.run();
        }
    }

    /** Where {@code *Async} callbacks without an executor run, or null for the JDK's choice. */
    @Nullable
    Executor callbackExecutor() {
        return callbackExecutor;
    }

    /** Settles an arrived call on a callback thread. */
    private void later(HostCall<?> call) {
        settling.add(call);
        runCallback(() -> {
            try {
                call.settle();
            } finally {
                settling.remove(call);
            }
        });
    }

    private void wake(Thread waiter) {
        if (leader.get() == waiter) {
            bell().kick();
        }
        LockSupport.unpark(waiter);
    }

    /** A call was cancelled or completed by its user. */
    void settledFromOutside(HostCall<?> call) {
        CallDeadlines limits = call.deadlines;
        if (limits != null) {
            limits.settledFromOutside();
        }
        VarHandle.fullFence();
        Thread waiter = call.waiter();
        if (waiter != null) {
            wake(waiter);
        }
        call.dropOutcome();
    }

    /** Takes the results that wait. */
    void lookForResults() {
        if (dispatcher != null) {
            drainOnce(null);
        }
    }

    /** Takes a call that nobody wants out of the host's queue, if it is there. */
    boolean withdraw(HostCall<?> call) {
        return dispatcher != null && dispatcher.withdraw(call);
    }

    /** Tells the worker that holds a call what is wanted of it, if one does. */
    void tellWorker(HostCall<?> call, int what, String reason) {
        if (dispatcher == null) {
            return;
        }
        for (Lane lane : dispatcher.lanes()) {
            if (lane.tryAbort(call, what, reason) && !dispatcher.isShared()) {
                return; // else whoever claims it must know
            }
        }
    }

    // ---- waiting

    /** Waits until the call has arrived or is settled; settles it if it has arrived. Interrupts are kept for later. */
    void awaitUninterruptibly(HostCall<?> call) {
        awaitArrival(call, false, NO_DEADLINE);
        settleByWaiter(call);
    }

    /** As {@link #awaitUninterruptibly}, but returns early on an interrupt (flag kept) or at the deadline. */
    void awaitInterruptibly(HostCall<?> call, long deadlineNanos) {
        awaitArrival(call, true, deadlineNanos);
        settleByWaiter(call);
    }

    /** Callbacks do not run on a thread that waits: it goes on waiting until they have begun elsewhere. */
    private void settleByWaiter(HostCall<?> call) {
        if (call.getNumberOfDependents() == 0) {
            call.settle();
        } else if (call.hasArrived()) {
            later(call);
        }
    }

    /**
     * Waits until the call has arrived, is settled, the deadline has passed or, if interruptible, the thread is
     * interrupted (flag kept). The outcome is left to be taken.
     */
    void awaitArrival(HostCall<?> call, boolean interruptible, long deadlineNanos) {
        // An invoked call is never settled by a stranger; another one is, unless its waiter is known beforehand.
        boolean waits = !call.invoked && call.tryBecomeWaiter();
        try {
            if (!spin(call, deadlineNanos) && (waits || call.tryBecomeWaiter())) {
                waits = true;
                park(call, interruptible, deadlineNanos);
            }
        } finally {
            if (waits) {
                call.stopWaiting();
            }
        }
    }

    /** Helps for one spin while a dependent stage is open. */
    void helpBriefly(CompletableFuture<?> future) {
        long until = System.nanoTime() + budget.nanos();
        while (!future.isDone() && System.nanoTime() - until < 0) {
            if (!drainOnce(null)) {
                Thread.onSpinWait();
            }
        }
    }

    private boolean spin(HostCall<?> call, long deadlineNanos) {
        if (watcher.isLeading()) {
            watcher.displace();
        }
        boolean virtual = Thread.currentThread().isVirtual();
        long spinUntil = 0;
        boolean counted = false;
        try {
            for (int spins = 1; ; spins++) {
                if (call.hasArrived()) {
                    return true;
                }
                if (!drainSoon(call)) {
                    Thread.onSpinWait();
                }
                if ((spins & SPINS_BEFORE_CLOCK - 1) == 0) {
                    if (call.isDone()) {
                        return true;
                    }
                    if (virtual && spins >= VIRTUAL_SPINS) {
                        return false;
                    }
                    long now = System.nanoTime();
                    if (spinUntil == 0) {
                        spinUntil = now + budget.nanos();
                    }
                    if (now - spinUntil >= 0 || isPast(deadlineNanos, now)) {
                        return false;
                    }
                    if (!counted && spins >= FREE_SPINS) {
                        counted = true;
                        if (spinners.incrementAndGet() + awakeWorkers() > processors) {
                            return false;
                        }
                    }
                }
            }
        } finally {
            if (counted) {
                spinners.decrementAndGet();
            }
        }
    }

    /** A pause may take longer than a line needs to arrive: several looks for each. */
    private boolean drainSoon(HostCall<?> call) {
        for (int look = 0; look < LOOKS_PER_PAUSE; look++) {
            if (drainOnce(call)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPast(long deadlineNanos, long now) {
        return deadlineNanos != NO_DEADLINE && now - deadlineNanos >= 0;
    }

    private int awakeWorkers() {
        int awake = 0;
        for (Lane lane : dispatcher().lanes()) {
            if (!lane.isWorkerAsleep()) {
                awake++;
            }
        }
        return awake;
    }

    private void park(HostCall<?> call, boolean interruptible, long deadlineNanos) {
        long started = System.nanoTime();
        FlightEvents.Recording recording = FlightEvents.park(poolName, call.task.target());
        boolean mayLead = !Thread.currentThread().isVirtual();
        boolean interrupted = false;
        if (mayLead) {
            waiters.add(call);
        }
        try {
            while (!call.isSettledOrArrived() && !isPast(deadlineNanos, System.nanoTime())) {
                if (Thread.currentThread().isInterrupted()) {
                    if (interruptible) {
                        return;
                    }
                    interrupted |= Thread.interrupted();
                }
                VarHandle.fullFence(); // registered as waiter -> try to lead, look at own state
                if (mayLead && leader.compareAndSet(null, Thread.currentThread())) {
                    lead(call, deadlineNanos);
                } else if (!call.isSettledOrArrived()) {
                    LockSupport.parkNanos(this, sliceNanos(deadlineNanos));
                }
            }
        } finally {
            budget.slept(System.nanoTime() - started);
            if (recording != null) {
                recording.finish();
            }
            if (mayLead) {
                waiters.remove(call);
                handOn();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void lead(HostCall<?> call, long deadlineNanos) {
        BellSleeper sleeper = bell();
        try {
            while (!call.isSettledOrArrived() && !isPast(deadlineNanos, System.nanoTime())) {
                if (Thread.currentThread().isInterrupted()) {
                    return; // a selector does not sleep so; whoever parks decides whether to go on
                }
                long slice = Math.min(sliceNanos(deadlineNanos), mostSleepNanos());
                sleeper.arm();
                BellFence.sleeper(asymmetric); // armed -> look at the mailboxes, then at the own call
                if (!drainOnce(call) && !call.isSettledOrArrived()) {
                    sleeper.sleep(slice);
                }
            }
        } finally {
            sleeper.disarm();
            leader.set(null);
        }
    }

    /** How long a leader may sleep: not long while a worker is so young that it cannot ring. */
    long mostSleepNanos() {
        for (Lane lane : dispatcher().lanes()) {
            if (lane.isOpen() && !lane.isWorkerRinging()) {
                return YOUNG_WORKER_NANOS;
            }
        }
        return parkNanos;
    }

    /** A futex does not see an interrupt: sleeps are cut into slices, short enough for an interrupted {@code get}. */
    private long sliceNanos(long deadlineNanos) {
        long slice = Math.min(SLICE_NANOS, parkNanos);
        return deadlineNanos == NO_DEADLINE ? slice : Math.clamp(deadlineNanos - System.nanoTime(), 1, slice);
    }

    /** Leadership is free, or may be: wakes one waiter that may lead, else the watcher. */
    void handOn() {
        VarHandle.fullFence(); // leader = null -> look for waiters
        if (leader.get() != null) {
            return;
        }
        for (HostCall<?> call : waiters) {
            Thread waiter = call.waiter();
            if (waiter != null && !call.isSettledOrArrived()) {
                LockSupport.unpark(waiter);
                return;
            }
        }
        watcher.wakeIfIdle();
    }

    // ---- blocking on a full queue

    /** Whether the calling thread may wait for room: callbacks and workers may not. */
    boolean mayBlock() {
        return !(Thread.currentThread() instanceof CallbackThread) && !TaskContext.inWorker();
    }

    /** Waits a moment for room; the watcher drains meanwhile. */
    void pauseForRoom(Semaphore room) {
        watcher.wakeIfIdle();
        boolean interrupted = Thread.interrupted();
        try {
            if (room.tryAcquire(ROOM_PAUSE_NANOS, TimeUnit.NANOSECONDS)) {
                room.release();
            }
        } catch (InterruptedException e) {
            interrupted = true; // a submission is not interruptible
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- closing

    /** Waits until nothing is open, at most until the deadline or an interrupt; whether nothing is. */
    boolean awaitQuiet(long deadlineNanos) {
        Dispatcher calls = dispatcher();
        while (!calls.isQuiet()) {
            if (Thread.currentThread().isInterrupted() || isPast(deadlineNanos, System.nanoTime())) {
                return false;
            }
            if (!drainOnce(null)) {
                watcher.wakeIfIdle();
                LockSupport.parkNanos(this, QUIET_PAUSE_NANOS);
            }
        }
        return true;
    }

    /**
     * Ends the threads when every call is settled that they were given; callbacks may still run. The bell must not be
     * needed any more.
     */
    void close() {
        watcher.close();
        awaitSettled();
        callbacks.shutdown();
    }

    /** Whoever closes may rely on its futures being settled. A decoder of the user that never returns is not waited for. */
    private void awaitSettled() {
        long until = System.nanoTime() + MOST_SETTLE_NANOS;
        for (HostCall<?> call : settling) {
            while (!call.isDone() && settling.contains(call) && System.nanoTime() - until < 0) {
                LockSupport.parkNanos(this, QUIET_PAUSE_NANOS);
            }
        }
    }
}

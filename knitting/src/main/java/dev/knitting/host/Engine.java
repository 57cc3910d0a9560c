package dev.knitting.host;

import dev.knitting.Debug;
import dev.knitting.Doorbells;
import dev.knitting.ErrorCode;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.fault.Faults;
import dev.knitting.memory.Futex;
import dev.knitting.memory.NativeAccess;
import dev.knitting.memory.ProcessBarrier;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SharedSegment;
import dev.knitting.trace.DebugLog;
import dev.knitting.trace.DebugNamespaces;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts a pool together and takes it apart. What was opened is closed in reverse order, also when opening fails half-way:
 * no process, thread or file is left.
 *
 * <p>Closing, in order: (1) refuse new calls; (2) wait for the submitted ones, as long as the caller wants; (3) stop word
 * to every worker, acknowledged within 50 ms, exit awaited, the rest killed; (4) fail what is still open; (5) end the
 * host's threads; (6) unmap, remove names and files.
 */
final class Engine {
    /** Room for the span's prefix and rounding beyond the ceiling that the user gave. */
    private static final long ARENA_EXTRA_BYTES = 4096;

    private final PoolOptions options;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable Supervisor supervisor;
    private @Nullable Completion completion;
    private @Nullable DeadlineWheel wheel;
    private @Nullable PoolSegments memory;
    private boolean closed;
    private boolean settledInTime;

    private Engine(PoolOptions options) {
        this.options = options;
    }

    static DefaultPool open(PoolOptions options) {
        Engine engine = new Engine(options);
        try {
            return engine.build();
        } catch (RuntimeException | Error e) {
            engine.abandon(e);
            throw e;
        }
    }

    private DefaultPool build() {
        if (Thread.currentThread().isInterrupted()) {
            throw KnittingException.of(
                    ErrorCode.INTERRUPTED, "interrupted before the pool was opened", "pool", options.name());
        }
        if (Faults.ENABLED) {
            Faults.begin(0, 0);
        }
        Restrictions.check(options);
        Memory memory = SharedSegment.resolve(options.memory());
        boolean futex = usesFutex(memory);
        boolean asymmetric = futex && ProcessBarrier.register();
        if (futex) {
            Futex.link();
        }
        long epoch = System.nanoTime();
        int debug = DebugNamespaces.bits(DebugNamespaces.merge(options.debug(), System.getenv(Debug.VARIABLE)));
        HostTrace trace = new HostTrace(options, DebugLog.ofHost(debug, options.name(), epoch));
        Class<?> carrier = options.code().context();
        WorkerConfig config = new WorkerConfig(
                options.payload().ceilingBytes() + ARENA_EXTRA_BYTES,
                options.payload().maxBytes(),
                options.tuning().spin().toNanos(),
                options.tuning().park().toNanos(),
                asymmetric,
                options.tuning().deliverWhenIdle(),
                options.registered().stream().map(Class::getName).toList(),
                options.codecs().stream().map(Class::getName).toList(),
                options.supervision().recycleAfter(),
                ServiceTable.countTasks(options.code().services())
                        + (int) options.tasks().stream()
                                .map(Task::withoutOptions)
                                .distinct()
                                .count(),
                options.name(),
                debug,
                options.tuning().measureEachCall(),
                TaskCatalog.startHook(options),
                Restrictions.lastStep(options),
                carrier == null ? "" : carrier.getName());
        int flags = (futex ? SegmentHeaderLayout.FLAG_FUTEX_BELLS : 0)
                | (asymmetric ? SegmentHeaderLayout.FLAG_PROCESS_BARRIER : 0);
        PoolSegments segments = keep(new PoolSegments(options, config, flags, epoch));
        trace.opening(memory, futex, config, segments.all().size());
        this.memory = segments;
        HostBells bells = keep(new HostBells(futex, segments.all()));
        boolean byReference = options.isolation() == Isolation.THREADS && !options.copyArguments();
        TaskCatalog catalog = new TaskCatalog(options, byReference, trace.announcer(segments::announce));
        Map<Class<?>, Map<Method, TaskEntry>> services =
                ServiceTable.announce(options.code().services(), catalog);
        for (Task<?, ?> task : options.tasks()) {
            catalog.entry(task);
        }
        Completion waiting = new Completion(
                options.name(), config.spinNanos(), config.parkNanos(), asymmetric, options.callbackExecutor());
        WorkerStarter starter = keep(new WorkerStarter(options, config, segments, bells, catalog, trace));
        ListenerEvents events = new ListenerEvents(options.supervision().listener(), waiting::runCallback);
        SharedMailbox shared = segments.sharedMailbox(asymmetric, byReference);
        Supervisor workers = new Supervisor(options, config, segments, bells, starter, waiting, trace, events, shared);
        DeadlineWheel deadlines = new DeadlineWheel(options.name());
        wheel = deadlines;
        Executions executions = new Executions(deadlines, waiting, asymmetric);
        executions.start(workers);
        Dispatcher dispatcher = new Dispatcher(options, waiting, workers.lanes(), shared);
        waiting.onBeat(segments::beat);
        waiting.lends(segments.buffersOfAll());
        waiting.start(dispatcher, bells.sleeper());
        completion = waiting;
        supervisor = workers;
        workers.startAll();
        trace.opened();
        CallLimits limits =
                new CallLimits(options.supervision().defaults(), deadlines, executions, options.debugWorkers());
        return new DefaultPool(options, catalog, services, dispatcher, waiting, limits, this);
    }

    private <T extends AutoCloseable> T keep(T part) {
        opened.push(part);
        return part;
    }

    private boolean usesFutex(Memory memory) {
        boolean possible = NativeAccess.enabled() && memory != Memory.PORTABLE;
        if (options.doorbells() == Doorbells.FUTEX && !possible) {
            throw KnittingException.of(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "futex doorbells need Linux and native access",
                    "option",
                    "doorbells",
                    "memory",
                    memory);
        }
        return possible && options.doorbells() != Doorbells.SOCKET;
    }

    /** The buffers that a worker can have. */
    HostBuffers buffersOf(int worker) {
        return java.util.Objects.requireNonNull(memory).buffersOf(worker);
    }

    /** Replaces every worker. */
    void recycle() {
        if (!java.util.Objects.requireNonNull(completion).dispatcher().isClosed()) {
            java.util.Objects.requireNonNull(supervisor).recycle();
        }
    }

    /**
     * Closes the pool; any thread, any number of times: later callers wait for the first.
     *
     * @param deadlineNanos until when submitted calls may settle
     * @return whether all had settled
     */
    boolean close(long deadlineNanos) {
        Completion waiting = java.util.Objects.requireNonNull(completion);
        waiting.dispatcher().close();
        boolean settled = waiting.awaitQuiet(deadlineNanos);
        synchronized (this) {
            if (!closed) {
                closed = true;
                settledInTime = settled;
                takeApart(settled);
            }
            return settledInTime;
        }
    }

    private void takeApart(boolean settled) {
        Supervisor workers = supervisor;
        Completion waiting = completion;
        if (waiting != null && workers != null) {
            waiting.dispatcher().close();
            waiting.dispatcher().finish();
            workers.stopAll(settled);
            waiting.dispatcher().finish();
            java.util.Objects.requireNonNull(wheel).close();
            waiting.close();
        }
        if (workers == null || workers.isOver()) {
            closeParts();
            return;
        }
        // A task that ignores its interrupt still uses the memory of its thread worker, until it ends.
        opened.stream().filter(WorkerStarter.class::isInstance).forEach(Engine::closePart);
        opened.removeIf(WorkerStarter.class::isInstance);
        workers.whenOver(this::closeParts);
    }

    private synchronized void closeParts() {
        while (!opened.isEmpty()) {
            closePart(opened.pop());
        }
    }

    private static void closePart(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, "a part of the pool did not close", e);
        }
    }

    private void abandon(Throwable reason) {
        try {
            synchronized (this) {
                closed = true;
                takeApart(false);
            }
        } catch (RuntimeException | Error e) {
            reason.addSuppressed(e);
        }
    }
}

package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.OutputListener;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.memory.ConfinedProcess;
import dev.knitting.memory.MemoryGroups;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Starts the worker processes of one pool and answers for them until they are gone.
 *
 * <p>All starts happen on one permanent platform thread, {@code knitting-launcher-<pool>}: a parent-death signal follows
 * the thread that created the child, not the process, and sandbox attributes of that thread are inherited by the
 * child. The thread lives until {@link #close}. If the host exits without closing, a shutdown hook kills the workers
 * and deletes their start files. All methods may be called from any thread.
 */
public final class ProcessLauncher implements AutoCloseable {
    private static final File NOTHING =
            new File(System.getProperty("os.name").startsWith("Windows") ? "NUL" : "/dev/null");
    private static final String CLOSED = "worker not started: the launcher is closed";
    private static final AtomicBoolean WARM = new AtomicBoolean();
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String pool;
    private final LinePump pump;
    private final ExecutorService thread;
    private final MemoryKills memoryKills = MemoryKills.ofThisProcess();
    private final Set<WorkerProcess> live = ConcurrentHashMap.newKeySet();
    /** Held while a process comes into being, so that a kill of all misses none. */
    private final ReentrantLock starting = new ReentrantLock();

    private boolean closed;

    /**
     * A launcher whose workers' output goes to the system logger {@code dev.knitting.worker}, level INFO, each line after
     * {@code [<pool>-<index>]}.
     *
     * @param pool part of thread names and log lines
     */
    public ProcessLauncher(String pool) {
        this(pool, SystemLog.INSTANCE);
    }

    /**
     * A launcher whose workers' output goes to a listener.
     *
     * @param pool part of thread names
     * @param listener receives every line
     */
    public ProcessLauncher(String pool, OutputListener listener) {
        this.pool = pool;
        pump = new LinePump(pool, listener);
        HostExit.add(this);
        thread = new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new LauncherThread(pool));
        warmUp();
    }

    /** Makes the one thread; a class, because a lambda here costs the first pool of a host about a millisecond. */
    private record LauncherThread(String pool) implements ThreadFactory {
        @Override
        public Thread newThread(Runnable work) {
            return LauncherThreads.create("knitting-launcher-" + pool, work);
        }
    }

    /**
     * Loads what the JDK needs for the first child process of a JVM, tens of milliseconds, while the opener of the pool
     * does other things. The logger gets a thread of its own: the JDK wants it only when the child already runs, and
     * looks through the whole class path for a provider.
     */
    private void warmUp() {
        if (!WARM.compareAndSet(false, true)) {
            return;
        }
        thread.execute(WarmUp.PROCESSES);
        LauncherThreads.start("knitting-warm-" + pool, WarmUp.LOGGER);
    }

    private enum WarmUp implements Runnable {
        PROCESSES {
            @Override
            public void run() {
                ProcessBuilder builder = new ProcessBuilder();
                builder.environment().remove("");
                ProcessHandle.current();
            }
        },
        LOGGER {
            @Override
            public void run() {
                System.getLogger("java.lang.ProcessBuilder").isLoggable(System.Logger.Level.DEBUG);
            }
        };
    }

    /**
     * Starts a worker. Returns when its program has been executed, not when it accepts calls.
     *
     * @param command the pool's
     * @param index the worker's index within the pool
     * @param stdin file that the worker inherits, opened for reading, as file descriptor 0; null for an empty one
     * @param arguments for the worker's main class
     * @throws KnittingException {@link ErrorCode#STARTUP_FAILED} if the program cannot be executed or the host is exiting;
     *     {@link ErrorCode#POOL_CLOSED} after {@link #close}
     */
    public WorkerProcess start(WorkerCommand command, int index, @Nullable Path stdin, List<String> arguments) {
        WorkerCommand.Line line = command.line(index, arguments);
        File input = stdin == null ? NOTHING : stdin.toFile();
        WorkerProcess worker;
        if (command.isSandboxed()) {
            String name = pool + "-" + index;
            ConfinedProcess prepared = command.prepare(name, line, input.toPath());
            worker = register(command, index, line, () -> ConfinedWorker.start(name, prepared));
        } else {
            ProcessBuilder builder =
                    command.builder(line).redirectErrorStream(true).redirectInput(input);
            worker = onLauncherThread(new Start(command, builder, index, line));
        }
        try {
            // Not on the launcher thread: a sandboxed one may not open the pipe.
            worker.watch(pool, pump, live);
        } catch (Throwable e) {
            // No thread to be had. An unwatched worker must not stay.
            worker.destroyUnwatched();
            live.remove(worker);
            throw e;
        }
        return worker;
    }

    /** The moment at which a process comes into being. */
    private interface Spawn {
        Process start() throws IOException;
    }

    private final class Start implements Callable<WorkerProcess> {
        private final WorkerCommand command;
        private final ProcessBuilder builder;
        private final int index;
        private final WorkerCommand.Line line;

        Start(WorkerCommand command, ProcessBuilder builder, int index, WorkerCommand.Line line) {
            this.command = command;
            this.builder = builder;
            this.index = index;
            this.line = line;
        }

        @Override
        public WorkerProcess call() {
            return register(command, index, line, builder::start);
        }
    }

    /** Starts a process in a way that a kill of all workers does not miss it. */
    private WorkerProcess register(WorkerCommand command, int index, WorkerCommand.Line line, Spawn start) {
        starting.lock();
        try {
            if (closed) {
                throw poolClosed();
            }
            if (HostExit.hasBegun()) {
                throw KnittingException.of(
                        ErrorCode.STARTUP_FAILED, "worker not started: the host is exiting", "pool", pool);
            }
            memoryKills.sync();
            MemoryGroups groups = command.memoryGroups();
            if (groups == null) {
                return enlisted(new WorkerProcess(start.start(), index, line, memoryKills, null));
            }
            return enlisted(inGroup(groups, index, line, start));
        } catch (IOException e) {
            String message = KnittingException.message(
                    "worker not started",
                    "pool",
                    pool,
                    "worker",
                    index,
                    "reason",
                    e.getMessage(),
                    "command",
                    line.words());
            throw new KnittingException(ErrorCode.STARTUP_FAILED, message, e);
        } finally {
            starting.unlock();
        }
    }

    /** A worker that cannot be put into its group must not stay. */
    private static WorkerProcess inGroup(MemoryGroups groups, int index, WorkerCommand.Line line, Spawn start)
            throws IOException {
        MemoryGroups.Group group = groups.make();
        try {
            WorkerProcess worker =
                    new WorkerProcess(start.start(), index, line, new MemoryKills(group.events()), group);
            try {
                group.enter(worker.pid());
            } catch (IOException e) {
                worker.destroyUnwatched();
                throw e;
            }
            return worker;
        } catch (IOException | RuntimeException | Error e) {
            group.delete();
            throw e;
        }
    }

    /** A worker that nobody knows of must not stay. */
    private WorkerProcess enlisted(WorkerProcess worker) {
        try {
            if (Faults.ENABLED) {
                Faults.hit(FaultPoint.HOST_LAUNCHED);
            }
            live.add(worker);
            return worker;
        } catch (RuntimeException | Error e) {
            worker.destroyUnwatched();
            throw e;
        }
    }

    /**
     * Runs something on the thread that starts the workers and waits for it, e.g. to restrict that thread first.
     *
     * @throws KnittingException {@link ErrorCode#POOL_CLOSED} after {@link #close}; {@link ErrorCode#STARTUP_FAILED} with the
     *     cause if {@code work} threw a checked exception
     */
    public <T> T onLauncherThread(Callable<T> work) {
        try {
            return Waits.getUninterruptibly(thread.submit(work));
        } catch (RejectedExecutionException e) {
            throw new KnittingException(ErrorCode.POOL_CLOSED, CLOSED + ": pool=" + pool, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new KnittingException(
                    ErrorCode.STARTUP_FAILED, KnittingException.message("launcher thread failed", "pool", pool), cause);
        }
    }

    private KnittingException poolClosed() {
        return KnittingException.of(ErrorCode.POOL_CLOSED, CLOSED, "pool", pool);
    }

    /** The workers that have not ended yet. A snapshot. */
    public List<WorkerProcess> live() {
        return List.copyOf(live);
    }

    /**
     * Waits until no worker is left.
     *
     * @param nanos longest wait
     * @return whether all have ended
     * @throws InterruptedException if the calling thread is interrupted
     */
    public boolean awaitExits(long nanos) throws InterruptedException {
        long start = System.nanoTime();
        for (WorkerProcess worker : live) {
            if (!worker.awaitExit(nanos - (System.nanoTime() - start))) {
                return false;
            }
        }
        return true;
    }

    /** Kills every worker that is left, with all it has started. Does not wait for their ends. */
    public void killAll() {
        starting.lock();
        try {
            live.forEach(WorkerProcess::destroyForcibly);
        } finally {
            starting.unlock();
        }
    }

    /**
     * Refuses further starts, kills the workers that are left and waits for their ends, up to 5 s. A pool that wants an
     * orderly end asks its workers for it and calls {@link #awaitExits} before.
     */
    @Override
    public void close() {
        starting.lock();
        try {
            closed = true;
            live.forEach(WorkerProcess::destroyForcibly);
        } finally {
            starting.unlock();
        }
        try {
            // A process killed by SIGKILL may hang in the kernel; a bounded wait, then it is init's.
            boolean ended = awaitExits(CLOSE_NANOS);
            if (!ended) {
                LauncherLog.warning("killed workers have not ended: pool=" + pool + ", left=" + live);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        HostExit.remove(this);
        pump.close();
        thread.shutdown();
    }
}

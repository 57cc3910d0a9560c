package dev.knitting.worker;

import dev.knitting.Memory;
import dev.knitting.boot.LoopEnd;
import dev.knitting.boot.SegmentMap;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.doorbell.Bell;
import dev.knitting.doorbell.FutexRinger;
import dev.knitting.doorbell.FutexSleeper;
import dev.knitting.doorbell.SocketDoor;
import dev.knitting.doorbell.SocketRinger;
import dev.knitting.doorbell.SocketSleeper;
import dev.knitting.fault.FaultPoint;
import dev.knitting.fault.Faults;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.Futex;
import dev.knitting.memory.LastStep;
import dev.knitting.memory.NativeAccess;
import dev.knitting.memory.ProcessBarrier;
import dev.knitting.memory.RestrictionReport;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import dev.knitting.memory.StandardInput;
import dev.knitting.memory.TaskTableReader;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A worker process: attaches the segment, starts the loop's thread at once, and only then links native functions; ends
 * when the loop does or when the host is gone.
 *
 * <p>Arguments: the segment, the lane's number in it, the worker's number in the pool, the path of the bell socket (or
 * an empty word for futexes), the directory of the pool's start files.
 *
 * <p>Start, in order: (1) map, check the header, read the configuration; (2) say ATTACHED, and give up what the pool's
 * sandbox and limits say; (3) start the loop, which
 * warms the tasks and says READY; (4) start the thread that delivers aborts; (5) link futex and barrier in this thread; (6)
 * watch the host. A failure before READY leaves its text in the lane and the state FAILED.
 */
public final class WorkerMain {
    private static final long MOST_LINK_DELAY_NANOS = 200_000_000L;
    private static final long LINK_POLL_NANOS = 500_000L;
    private static final long SAME_CLOCK_NANOS = 100_000_000L;
    private static final long MOST_HOOKS_NANOS = 1_000_000_000L;
    /** Workers, from the first one, that outlive their host until they have deleted its files. */
    private static final int DELETERS = 2;

    private static final int EXIT_STARTUP_FAILED = 70;
    private static final int EXIT_HOST_GONE = 71;

    private final SharedSegment segment;
    private final SegmentHeaderView header;
    private final HostWatch host;
    private final LaneView lane;
    private final int worker;
    private final String socketPath;
    private final String startFiles;
    private final WorkerConfig config;

    private WorkerMain(String[] arguments) {
        this.segment = SharedSegment.attach(arguments[0]);
        this.header = SegmentHeaderView.attach(segment);
        // First of all: a host that dies while its worker starts must be seen to have lived.
        this.host = new HostWatch(header.hostPidPlain(), header.hostStartPlain());
        long offset = SegmentMap.LANES_OFFSET + Integer.parseInt(arguments[1]) * header.laneStridePlain();
        this.lane = new LaneView(segment.window(offset, (int) LaneLayout.ARENAS_OFFSET), offset);
        this.worker = Integer.parseInt(arguments[2]);
        this.socketPath = arguments[3];
        this.startFiles = arguments[4];
        this.config = WorkerConfig.fromBytes(
                new TaskTableReader(segment, SegmentMap.BOOT_TABLE_OFFSET, SegmentMap.BOOT_TABLE_BYTES).read(0));
    }

    /** Runs a worker process; with one argument it only tells what holds in it. */
    public static void main(String[] arguments) {
        if (arguments.length == 1) {
            RestrictionReport.print();
            return;
        }
        WorkerMain main = new WorkerMain(arguments);
        // Descriptor 0 is the segment until natives are linked; no task may read that.
        StandardInput.makeEmpty();
        main.lane.stateRelease(WorkerState.ATTACHED);
        if (Faults.ENABLED) {
            Faults.begin(main.worker, main.lane.incarnationPlain());
            Faults.hit(FaultPoint.WORKER_ATTACHED);
        }
        try {
            main.start();
        } catch (Throwable e) {
            main.fail(e);
        }
    }

    private void start() throws IOException {
        if (config.lastStep().length > 0) {
            LastStep.apply(config.lastStep());
        }
        boolean futex = socketPath.isEmpty();
        SocketChannel channel = futex ? null : SocketDoor.connect(socketPath, worker);
        WorkerTrace trace = config.debug() == 0 ? null : WorkerTrace.ofProcess(config, worker, header.epochPlain());
        TableResolver resolver = new TableResolver(
                new TaskTableReader(segment, header.taskTableOffsetPlain(), header.taskTableLengthPlain()),
                config,
                trace);
        WorkerLoop loop = trace == null
                ? new WorkerLoop(segment, header, lane, config, resolver, null)
                : TracedWorkerLoop.create(segment, header, lane, config, resolver, null, trace);
        if (channel != null) {
            SocketSleeper sleeper =
                    new SocketSleeper(new MemorySegment[] {segment.memory()}, new long[] {lane.workerBellOffset()});
            sleeper.add(channel);
            loop.linked(hostBell(channel, false), sleeper, config.asymmetric());
        }
        loop.clockAhead(clockAhead());
        new WorkerThread("knitting-worker-" + worker, worker, new LoopRun(this, loop)).start();
        // Not before the loop has begun: until a worker is ready, each class that it loads counts.
        ControlBell control = new ControlBell(lane);
        if (futex) {
            awaitReady();
        } else {
            SocketSleeper sleeper =
                    new SocketSleeper(new MemorySegment[] {segment.memory()}, new long[] {lane.controlBellOffset()});
            sleeper.add(SocketDoor.connect(socketPath, SocketDoor.controlOf(worker)));
            control.linked(sleeper, config.asymmetric());
        }
        new ControlThread("knitting-control-" + worker, lane, control, loop).start();
        if (futex) {
            link(loop, control);
        }
        watchHost(futex);
    }

    /**
     * How far this clock is ahead of the host's. Both are the kernel's, unless somebody gave this process a time of its
     * own: that shows as a difference that the wall clock does not have.
     */
    private long clockAhead() {
        long elapsed = System.nanoTime() - lane.startNanosPlain();
        long ahead = elapsed - (System.currentTimeMillis() - lane.startMillisPlain()) * 1_000_000;
        return Math.abs(ahead) < SAME_CLOCK_NANOS ? 0 : ahead;
    }

    /** Linking takes as long as all the rest of the start: it waits, at most a moment, until the worker is ready. */
    private void awaitReady() {
        long until = System.nanoTime() + MOST_LINK_DELAY_NANOS;
        while (lane.stateAcquire() == WorkerState.ATTACHED && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(LINK_POLL_NANOS);
        }
    }

    private Bell hostBell(@Nullable SocketChannel channel, boolean asymmetric) {
        MemorySegment memory = segment.memory();
        long offset = SegmentHeaderLayout.HOST_BELL_OFFSET;
        return new Bell(
                memory,
                offset,
                channel == null ? new FutexRinger(memory.address() + offset) : new SocketRinger(channel),
                asymmetric);
    }

    private void link(WorkerLoop loop, ControlBell control) {
        Futex.link();
        boolean registered = config.asymmetric() && ProcessBarrier.register();
        FutexSleeper sleeper =
                new FutexSleeper(new MemorySegment[] {segment.memory()}, new long[] {lane.workerBellOffset()});
        if (config.asymmetric() && !registered) {
            return; // the host will not fence for us: keep napping rather than miss a ring
        }
        loop.linked(hostBell(null, registered), sleeper, registered);
        control.linked(
                new FutexSleeper(new MemorySegment[] {segment.memory()}, new long[] {lane.controlBellOffset()}),
                registered);
        StandardInput.replaceDescriptor();
    }

    /** The loop's thread: serves, says STOPPED, ends the process. */
    private record LoopRun(WorkerMain main, WorkerLoop loop) implements Runnable {
        @Override
        public void run() {
            int ended;
            try {
                ended = loop.run();
                main.lane.stateRelease(WorkerState.STOPPED);
                if (ended != LoopEnd.STOPPED) {
                    new LateEnd(ended).start(); // nobody else sees to it that this process ends
                }
                loop.close();
            } catch (Throwable e) {
                main.fail(e);
                return;
            }
            System.exit(ended);
        }
    }

    /** Ends the process when services that close, or shutdown hooks of tasks, keep it: its place is needed. */
    private static final class LateEnd extends Thread {
        private final int exitCode;

        LateEnd(int exitCode) {
            super("knitting-end");
            this.exitCode = exitCode;
            setDaemon(true);
        }

        @Override
        public void run() {
            LockSupport.parkNanos(MOST_HOOKS_NANOS);
            Runtime.getRuntime().halt(exitCode);
        }
    }

    /** Leaves the reason in the lane and ends the process, even if there is no memory left to tell it with. */
    private void fail(Throwable failure) {
        try {
            StartFailure.tell(failure, lane);
            lane.stateRelease(WorkerState.FAILED);
            // Nobody accepts its socket: the host died while this worker started, and there may be no other one.
            if (failure instanceof ConnectException || host.isGoneSoon()) {
                deleteHostFiles();
            }
        } finally {
            Runtime.getRuntime().halt(EXIT_STARTUP_FAILED);
        }
    }

    /** Ends this process when the host is gone, and deletes what the host cannot any more. */
    private void watchHost(boolean linked) {
        // A host that cannot be seen is worth linking for, also with socket bells.
        if (linked || (!host.isVisible() && NativeAccess.enabled())) {
            // Memory without a name goes by itself. Two workers are enough to delete the start files: one of them may
            // be
            // on its way out, or not be there yet, when the host dies.
            host.awaitGoneLinked(segment.kind() == Memory.INHERITED && worker >= DELETERS);
        } else {
            host.awaitGone();
        }
        deleteHostFiles();
        Runtime.getRuntime().halt(EXIT_HOST_GONE);
    }

    private void deleteHostFiles() {
        segment.unlink();
        HostFiles.delete(new File(startFiles));
        if (!socketPath.isEmpty()) {
            HostFiles.delete(new File(socketPath).getParentFile());
        }
    }
}

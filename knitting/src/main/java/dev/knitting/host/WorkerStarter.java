package dev.knitting.host;

import dev.knitting.Isolation;
import dev.knitting.OutputListener;
import dev.knitting.PoolOptions;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.doorbell.Bell;
import dev.knitting.doorbell.BellSleeper;
import dev.knitting.doorbell.FutexRinger;
import dev.knitting.doorbell.FutexSleeper;
import dev.knitting.doorbell.SocketDoor;
import dev.knitting.doorbell.SocketRinger;
import dev.knitting.doorbell.SocketSleeper;
import dev.knitting.launch.DebugLines;
import dev.knitting.launch.DebuggerPorts;
import dev.knitting.launch.ProcessLauncher;
import dev.knitting.launch.SystemLog;
import dev.knitting.launch.ThreadWorker;
import dev.knitting.launch.WorkerCommand;
import dev.knitting.mailbox.LaneView;
import dev.knitting.memory.Handover;
import dev.knitting.memory.NativeAccess;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SharedSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts the workers of one pool: threads, or processes by way of the launcher. */
final class WorkerStarter implements AutoCloseable {
    private final PoolOptions options;
    private final WorkerConfig config;
    private final PoolSegments segments;
    private final HostBells bells;
    private final TaskCatalog catalog;
    private final @Nullable WorkerCommand command;
    private final @Nullable ProcessLauncher launcher;

    WorkerStarter(
            PoolOptions options,
            WorkerConfig config,
            PoolSegments segments,
            HostBells bells,
            TaskCatalog catalog,
            HostTrace trace) {
        this.options = options;
        this.config = config;
        this.segments = segments;
        this.bells = bells;
        this.catalog = catalog;
        if (options.isolation() == Isolation.PROCESSES) {
            this.command = WorkerCommand.of(options, NativeAccess.enabled());
            this.launcher = new ProcessLauncher(options.name(), listener(options, config));
            trace.launching(command);
        } else {
            this.command = null;
            this.launcher = null;
        }
    }

    private static OutputListener listener(PoolOptions options, WorkerConfig config) {
        OutputListener listener = options.output() == null ? SystemLog.INSTANCE : options.output();
        if (options.debugWorkers()) {
            listener = new DebuggerPorts(listener);
        }
        return config.debug() == 0 ? listener : new DebugLines(listener);
    }

    /** Starts a worker on its lane, which was prepared. Returns before it is ready. */
    HostWorker start(int worker, LaneView view, Lane lane) {
        SharedSegment segment = segments.segmentOf(worker);
        if (launcher != null && command != null) {
            Handover handover = segment.handover();
            List<String> arguments = List.of(
                    handover.argument(),
                    Integer.toString(segments.laneNumberOf(worker)),
                    Integer.toString(worker),
                    bells.workerArgument(),
                    command.directory().toString());
            long controlBell = view.controlBellOffset();
            Bell control = new Bell(
                    segment.memory(),
                    controlBell,
                    bells.ringerFor(SocketDoor.controlOf(worker), segment.memory(), controlBell),
                    config.asymmetric());
            return new ProcessHostWorker(launcher.start(command, worker, handover.standardInput(), arguments), control);
        }
        return new ThreadHostWorker(startThread(worker, view, segment, lane));
    }

    /** See {@link WorkerCommand#leaveOutRefused}. */
    boolean leaveOutRefused(@Nullable String said) {
        return command != null && said != null && command.leaveOutRefused(said);
    }

    private ThreadWorker startThread(int worker, LaneView view, SharedSegment segment, Lane lane) {
        MemorySegment memory = segment.memory();
        MemorySegment[] memories = {memory};
        long[] offsets = {view.workerBellOffset()};
        long hostBell = SegmentHeaderLayout.HOST_BELL_OFFSET;
        BellSleeper sleeper;
        Bell bell;
        if (bells.workerArgument().isEmpty()) {
            sleeper = new FutexSleeper(memories, offsets);
            bell = new Bell(memory, hostBell, new FutexRinger(memory.address() + hostBell), config.asymmetric());
        } else {
            try {
                SocketChannel channel = SocketDoor.connect(bells.workerArgument(), worker);
                SocketSleeper socketSleeper = new SocketSleeper(memories, offsets);
                socketSleeper.add(channel);
                sleeper = socketSleeper;
                bell = new Bell(memory, hostBell, new SocketRinger(channel), config.asymmetric());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return ThreadWorker.start(
                "knitting-worker-" + options.name() + "-" + worker,
                worker,
                segment,
                view,
                config,
                catalog.forThread(),
                options.copyArguments() ? null : lane,
                lane,
                bell,
                sleeper,
                config.asymmetric());
    }

    @Override
    public void close() {
        if (launcher != null) {
            launcher.close();
        }
        if (command != null) {
            command.close();
        }
    }
}

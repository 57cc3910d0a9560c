package dev.knitting.host;

import dev.knitting.Debug;
import dev.knitting.Isolation;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.PoolBuilder;
import dev.knitting.PoolOptions;
import dev.knitting.boot.TaskDescription;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.launch.WorkerCommand;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.trace.DebugLog;
import dev.knitting.trace.FlightEvents;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;

/** The host's debug lines of one pool, and the events of its workers' lives. Nothing here is on the way of a call. Any thread. */
final class HostTrace {
    private final PoolOptions options;
    private final DebugLog log;
    private final long openedNanos = System.nanoTime();
    /** Events of workers that start, by index. */
    private final Map<Integer, FlightEvents.Recording> starts = new ConcurrentHashMap<>();

    HostTrace(PoolOptions options, DebugLog log) {
        this.options = options;
        this.log = log;
    }

    // ---- host

    /** What the pool was opened with, and what it chose. */
    void opening(Memory memory, boolean futex, WorkerConfig config, int segments) {
        if (!log.isOn(Debug.HOST)) {
            return;
        }
        log.line(Debug.HOST, "opened by " + caller() + ", directory=" + System.getProperty("user.dir"));
        log.line(
                Debug.HOST,
                "isolation=" + options.isolation() + ", workers=" + options.workers()
                        + ", dispatcher=private-lanes, lanes=" + options.workers() + ", slots=" + SlotLayout.SLOTS
                        + ", queue=" + options.queueCapacity() + " " + options.queuePolicy() + ", processors="
                        + Runtime.getRuntime().availableProcessors());
        log.line(
                Debug.HOST,
                "memory=" + memory + ", segments=" + segments + ", arenaBytes=" + config.arenaBytes()
                        + ", maxPayloadBytes=" + config.maxPayloadBytes() + ", doorbells="
                        + (futex ? "FUTEX" : "SOCKET") + ", fence=" + (config.asymmetric() ? "asymmetric" : "full")
                        + ", payloads="
                        + (options.isolation() == Isolation.THREADS && !options.copyArguments()
                                ? "by reference"
                                : "copied")
                        + ", sandbox="
                        + (options.code().sandbox() == null
                                ? "not stated, unrestricted"
                                : options.code().sandbox() + (options.code().isRestricted() ? "" : ", unrestricted")));
    }

    /** The method that called the builder. */
    private static String caller() {
        return StackWalker.getInstance()
                .walk(frames -> frames.dropWhile(frame -> !isBuilder(frame))
                        .dropWhile(HostTrace::isBuilder)
                        .findFirst()
                        .map(StackWalker.StackFrame::toString)
                        .orElse("unknown"));
    }

    private static boolean isBuilder(StackWalker.StackFrame frame) {
        return frame.getClassName().equals(PoolBuilder.class.getName());
    }

    /** How worker processes are started. */
    void launching(WorkerCommand command) {
        if (log.isOn(Debug.HOST)) {
            log.line(Debug.HOST, "java=" + command.java() + ", prefix=" + command.prefix());
            log.line(Debug.HOST, "arguments=" + command.describe());
        }
    }

    /** An announcer that tells of each task. */
    ToIntFunction<byte[]> announcer(ToIntFunction<byte[]> announcer) {
        if (!log.isOn(Debug.HOST) && !log.isOn(Debug.IMPORTS)) {
            return announcer;
        }
        return description -> {
            int id = announcer.applyAsInt(description);
            String target = TaskDescription.fromBytes(description).target().toString();
            log.line(Debug.HOST, "task=" + id + ", target=" + target);
            if (options.isolation() == Isolation.THREADS) {
                log.line(Debug.IMPORTS, "task=" + id + ", target=" + target + ", from=the host's own classes");
            }
            return id;
        };
    }

    void opened() {
        log.line(Debug.HOST, "open: took=" + DebugLog.millis(System.nanoTime() - openedNanos));
    }

    // ---- lifecycle

    void starting(int worker, int incarnation) {
        FlightEvents.Recording start = FlightEvents.workerStart(options.name(), worker, incarnation);
        if (start != null) {
            starts.put(worker, start);
        }
        log.line(Debug.LIFECYCLE, worker(worker, incarnation) + " starting");
    }

    void started(int worker, int incarnation, HostWorker started) {
        log.line(Debug.LIFECYCLE, worker(worker, incarnation) + " started: " + started);
    }

    void ready(int worker, int incarnation, long startedNanos) {
        FlightEvents.Recording start = starts.remove(worker);
        if (start != null) {
            start.finish();
        }
        log.line(
                Debug.LIFECYCLE,
                worker(worker, incarnation) + " ready: took=" + DebugLog.millis(System.nanoTime() - startedNanos));
    }

    void notStarted(int worker, int incarnation, KnittingException reason) {
        starts.remove(worker);
        FlightEvents.workerEnd(
                options.name(), worker, incarnation, reason.code().name(), String.valueOf(reason.getMessage()));
        log.line(Debug.LIFECYCLE, worker(worker, incarnation) + " not ready: " + reason.getMessage());
    }

    void ended(int worker, int incarnation, Ending ending) {
        String reason = ending.reason().name();
        FlightEvents.workerEnd(options.name(), worker, incarnation, reason, ending.description());
        log.line(
                Debug.LIFECYCLE,
                worker(worker, incarnation) + " ended: reason=" + reason + ", " + ending.description());
    }

    void stopping(boolean orderly) {
        log.line(Debug.LIFECYCLE, orderly ? "closing: all calls are settled" : "closing: open calls fail");
    }

    void stopped() {
        log.line(Debug.LIFECYCLE, "closed: all workers have ended or were left behind");
    }

    private static String worker(int index, int incarnation) {
        return "worker=" + index + ", incarnation=" + incarnation;
    }
}

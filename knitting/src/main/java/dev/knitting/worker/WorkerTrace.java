package dev.knitting.worker;

import dev.knitting.Debug;
import dev.knitting.TaskTarget;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.trace.DebugLog;
import dev.knitting.trace.GlobalState;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/**
 * One worker's debug lines. Not loaded unless a namespace is on. Lines of calls are written by the loop's thread.
 *
 * <p>A thread worker has no global state of its own, and says nothing about it.
 */
public final class WorkerTrace {
    private final DebugLog log;
    private @Nullable GlobalState state;
    private boolean idle;
    /** Where this worker's last claim left the mailbox; -1 before the first. */
    private long claimHead = -1;
    /** Claims lost since the last one that succeeded. */
    private int lost;

    private WorkerTrace(DebugLog log, boolean watchesGlobals) {
        this.log = log;
        this.state = watchesGlobals && log.isOn(Debug.GLOBALS) ? GlobalState.now() : null;
    }

    /** For the process's only worker; its global state is compared with that of this moment. */
    static WorkerTrace ofProcess(WorkerConfig config, int worker, long epochNanos) {
        WorkerTrace trace = new WorkerTrace(
                DebugLog.ofWorkerProcess(config.debug(), DebugLog.source(config.pool(), worker), epochNanos), true);
        trace.log.line(
                Debug.LIFECYCLE, "attached: pid=" + ProcessHandle.current().pid());
        return trace;
    }

    /** For a worker that is a thread of the host. */
    public static WorkerTrace ofThread(WorkerConfig config, int worker, long epochNanos) {
        return new WorkerTrace(
                DebugLog.ofHost(config.debug(), DebugLog.source(config.pool(), worker), epochNanos), false);
    }

    /** A task was found. */
    void resolved(int id, TaskTarget target, ClassLoader loader, long nanos) {
        if (log.isOn(Debug.IMPORTS)) {
            log.line(
                    Debug.IMPORTS,
                    "task=" + id + ", target=" + target + ", from=" + origin(target.className(), loader) + ", took="
                            + DebugLog.millis(nanos));
        }
    }

    /** Where a class that is loaded already comes from. */
    private static String origin(String className, ClassLoader loader) {
        try {
            CodeSource source = Class.forName(className, false, loader)
                    .getProtectionDomain()
                    .getCodeSource();
            return source == null || source.getLocation() == null
                    ? "the runtime image"
                    : source.getLocation().toString();
        } catch (ClassNotFoundException | LinkageError e) {
            return String.valueOf(e);
        }
    }

    void ready(int tasks) {
        log.line(Debug.LIFECYCLE, "ready: tasks=" + tasks);
        logGlobals("tasks");
    }

    void stopping() {
        log.line(Debug.LIFECYCLE, "stop word seen");
        logGlobals("calls");
    }

    /** The way to sleep and to ring is there. */
    void linked(boolean asymmetric) {
        log.line(Debug.LIFECYCLE, "bells linked: fence=" + (asymmetric ? "asymmetric" : "full"));
    }

    private void logGlobals(String phase) {
        GlobalState before = state;
        if (before != null) {
            GlobalState now = GlobalState.now();
            now.logChangesSince(before, phase, log);
            state = now;
        }
    }

    /** A call of a shared mailbox is this worker's. What is told was read outside the claim, which it cannot disturb. */
    void claimed(long ticket) {
        if (log.isOn(Debug.STEAL)) {
            long peers = claimHead < 0 ? 0 : ticket - claimHead;
            log.line(
                    Debug.STEAL,
                    "claim: ticket=" + ticket + ", slot=" + (ticket & SlotLayout.SLOT_MASK) + ", peers=" + peers
                            + ", lost=" + lost);
        }
        claimHead = ticket + 1;
        lost = 0;
    }

    /** Another worker was faster. */
    void claimLost() {
        lost++;
    }

    void entered(long callId, String task) {
        idle = false;
        log.line(Debug.SIGNALS, "claim: call=" + callId + ", task=" + task);
    }

    void run(long callId) {
        log.line(Debug.SIGNALS, "run: call=" + callId);
    }

    void result(long callId, boolean failed) {
        log.line(Debug.SIGNALS, "result: call=" + callId + ", failed=" + failed);
    }

    /** Said once until the next call. */
    void idle() {
        if (!idle) {
            idle = true;
            log.line(Debug.SIGNALS, "idle");
        }
    }
}

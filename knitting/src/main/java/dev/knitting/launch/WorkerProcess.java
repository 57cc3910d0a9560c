package dev.knitting.launch;

import dev.knitting.memory.MemoryGroups;
import dev.knitting.memory.PrivateDirectory;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One started worker process: its number, its output, its end. Any thread.
 *
 * <p>Its exit is watched by a thread of its own, not by the common pool as {@link Process#onExit} does: a host that keeps
 * the common pool busy must still learn of a death at once.
 */
public final class WorkerProcess {
    private final Process process;
    private final int index;
    private final Path errorFile;
    /** Of a sandboxed worker, deleted after its end. */
    private final @Nullable Path temporary;

    private final MemoryKills memoryKills;
    /** Where its memory is limited, removed after its end. */
    private final MemoryGroups.@Nullable Group group;

    private final OutputTail tail = new OutputTail();
    private final CompletableFuture<WorkerExit> exit = new CompletableFuture<>();

    WorkerProcess(
            Process process,
            int index,
            WorkerCommand.Line line,
            MemoryKills memoryKills,
            MemoryGroups.@Nullable Group group) {
        this.process = process;
        this.index = index;
        this.errorFile = line.errorFile();
        this.temporary = line.temporary();
        this.memoryKills = memoryKills;
        this.group = group;
    }

    /** Starts reading its output and watching for its end; it leaves {@code live} just before the exit notice. */
    void watch(String pool, LinePump pump, Set<WorkerProcess> live) {
        String name = pool + "-" + index;
        OutputCapture capture = new OutputCapture("knitting-read-" + name, process, index, tail, pump);
        capture.start();
        LauncherThreads.start("knitting-watch-" + name, new Watch(capture, live));
    }

    private final class Watch implements Runnable {
        private final OutputCapture capture;
        private final Set<WorkerProcess> live;

        Watch(OutputCapture capture, Set<WorkerProcess> live) {
            this.capture = capture;
            this.live = live;
        }

        @Override
        public void run() {
            int exitCode = waitUninterruptibly();
            capture.finish();
            live.remove(WorkerProcess.this);
            exit.complete(describe(exitCode));
            if (group != null) {
                group.delete();
            }
            if (temporary != null) {
                PrivateDirectory.deleteQuietly(temporary);
            }
        }
    }

    /** Whatever goes wrong in collecting the details (no memory for them, say), the notice must be given. */
    private WorkerExit describe(int exitCode) {
        try {
            return ExitText.collect(process.pid(), exitCode, tail, errorFile, memoryKills);
        } catch (RuntimeException | OutOfMemoryError e) {
            LauncherLog.warning("details of a worker's end not collected: pid=" + process.pid(), e);
            return new WorkerExit(process.pid(), exitCode, Signals.ofExitCode(exitCode), false, false, "", "");
        }
    }

    private int waitUninterruptibly() {
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException e) {
                // Only a dependent's mistake interrupts this thread, and the process still has to be waited for.
                LauncherLog.debug("interrupted while watching a worker, goes on", e);
            }
        }
    }

    /** The operating system's number of the process (with a command prefix: of the prefix's process). */
    public long pid() {
        return process.pid();
    }

    /** Its index within the pool. */
    public int index() {
        return index;
    }

    /** What it printed last. */
    public OutputTail output() {
        return tail;
    }

    /** Whether the process runs. False from the moment of its death, which may be before the exit notice. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Completes exactly once, after the process has ended and its last output was read (at most 0.6 s later, if a
     * process that it started goes on printing). Dependents run on the watching thread and should return soon. Each call
     * gives a future of its own; completing or cancelling it means nothing to others.
     */
    public CompletableFuture<WorkerExit> exit() {
        return exit.copy();
    }

    /**
     * Waits for the exit notice.
     *
     * @param nanos longest wait; zero or less only looks
     * @return whether the notice has been given
     * @throws InterruptedException if the calling thread is interrupted
     */
    public boolean awaitExit(long nanos) throws InterruptedException {
        long start = System.nanoTime();
        if (!process.waitFor(nanos, TimeUnit.NANOSECONDS)) {
            return false;
        }
        return Waits.await(exit, nanos - (System.nanoTime() - start));
    }

    /** Kills the process and everything it has started that is still its descendant (SIGKILL). Returns at once. */
    public void destroyForcibly() {
        ProcessTree.kill(process);
    }

    /**
     * Kills a process that nobody watches, and waits for its end, 2 s at most: the next one may get the same memory. An
     * interrupt ends the wait and is kept.
     */
    void destroyUnwatched() {
        destroyForcibly();
        try {
            if (!process.waitFor(2, TimeUnit.SECONDS)) {
                LauncherLog.warning("an unwatched worker does not end: pid=" + process.pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "worker " + index + ": pid=" + process.pid();
    }
}

package dev.knitting.launch;

import dev.knitting.KnittingException;
import dev.knitting.memory.ConfinedProcess;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A sandboxed worker as a {@link Process}. The thread that starts it lives as long as it does and does nothing else: it has
 * given up its rights, so no code but this class may ever run there.
 */
final class ConfinedWorker extends Process {
    private final ConfinedProcess process;
    private final CompletableFuture<Integer> started = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();

    private ConfinedWorker(ConfinedProcess process) {
        this.process = process;
    }

    /**
     * Starts a prepared process on a thread of its own.
     *
     * @throws KnittingException what {@link ConfinedProcess#startHere} throws
     */
    static ConfinedWorker start(String name, ConfinedProcess process) {
        ConfinedWorker worker = new ConfinedWorker(process);
        LauncherThreads.start("knitting-sandbox-" + name, worker.new Life());
        try {
            Waits.getUninterruptibly(worker.started);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        }
        return worker;
    }

    private final class Life implements Runnable {
        @Override
        public void run() {
            try {
                process.startHere();
            } catch (Throwable e) {
                started.completeExceptionally(e);
                return;
            }
            // Whoever waits for these is woken on a thread of its own; nobody may add a dependent.
            started.complete(process.pid());
            ended.complete(process.awaitEnd());
        }
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public int waitFor() throws InterruptedException {
        try {
            return ended.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            ended.get(Math.max(0, timeout), unit);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int exitValue() {
        if (!ended.isDone()) {
            throw new IllegalThreadStateException("process has not ended: pid=" + process.pid());
        }
        return ended.join();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void destroy() {
        process.kill();
    }

    @Override
    public Process destroyForcibly() {
        process.kill();
        return this;
    }

    @Override
    public Stream<ProcessHandle> descendants() {
        return ProcessHandle.of(process.pid()).stream().flatMap(ProcessHandle::descendants);
    }

    @Override
    public InputStream getInputStream() {
        return process.output();
    }

    @Override
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public OutputStream getOutputStream() {
        return OutputStream.nullOutputStream();
    }
}

package dev.knitting.host;

import dev.knitting.doorbell.Bell;
import dev.knitting.launch.WorkerProcess;
import java.util.function.Consumer;

/** A worker process. */
final class ProcessHostWorker implements HostWorker {
    private final WorkerProcess process;
    private final Bell control;
    private volatile int exitCode = -1;

    /** @param control rings the worker's thread that delivers aborts */
    ProcessHostWorker(WorkerProcess process, Bell control) {
        this.process = process;
        this.control = control;
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void deliverAborts() {
        control.published();
    }

    @Override
    public boolean canBeKilled() {
        return true;
    }

    @Override
    public boolean tryAbandon() {
        return false;
    }

    @Override
    public String activity() {
        return process.output().text();
    }

    @Override
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return process.awaitExit(nanos);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback's own failure goes to the thread that reports exits
    public void onEnd(Consumer<Ending> callback) {
        process.exit().thenAccept(exit -> {
            exitCode = exit.exitCode();
            callback.accept(Ending.of(exit));
        });
    }

    @Override
    public String toString() {
        return "pid=" + process.pid();
    }

    @Override
    public int exitCode() {
        return exitCode;
    }
}

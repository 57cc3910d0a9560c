package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.doorbell.Bell;
import dev.knitting.launch.WorkerExit;
import dev.knitting.launch.WorkerProcess;
import java.util.function.Consumer;

/** A worker process. */
final class ProcessHostWorker implements HostWorker {
    private final WorkerProcess process;
    private final Bell control;

    /** @param control rings the worker's thread that delivers aborts */
    ProcessHostWorker(WorkerProcess process, Bell control) {
        this.process = process;
        this.control = control;
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
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return process.awaitExit(nanos);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback's own failure goes to the thread that reports exits
    public void onEnd(Consumer<KnittingException> callback) {
        process.exit().thenAccept(exit -> callback.accept(failure(exit)));
    }

    @Override
    public String toString() {
        return "pid=" + process.pid();
    }

    private static KnittingException failure(WorkerExit exit) {
        return exit.isCrash()
                ? new KnittingException(
                        ErrorCode.WORKER_CRASHED,
                        "the worker crashed while it held the call, which may have run: " + exit.describe())
                : new KnittingException(
                        ErrorCode.WORKER_EXITED,
                        "the worker ended while it held the call, which may have run: " + exit.describe());
    }
}

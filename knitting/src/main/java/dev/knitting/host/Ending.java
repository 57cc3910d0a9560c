package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.WorkerEnd;
import dev.knitting.boot.LoopEnd;
import dev.knitting.launch.WorkerExit;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.WorkerState;

/**
 * Why a worker ended: what its open calls are told, and what the listener is.
 *
 * @param reason for the listener
 * @param code for calls that it had entered
 * @param orderly whether it ended by itself after it was asked to
 * @param description exit code, signal, last output
 */
record Ending(WorkerEnd.Reason reason, ErrorCode code, boolean orderly, String description) {
    private static final String HELD = "while it held the call, which may have run: ";

    /** The end of a process that the pool did not ask for. */
    static Ending of(WorkerExit exit) {
        String text = exit.describe();
        if (exit.outOfMemory()) {
            return new Ending(WorkerEnd.Reason.OUT_OF_MEMORY, ErrorCode.OUT_OF_MEMORY, false, text);
        }
        if (exit.killedForMemory()) {
            return new Ending(WorkerEnd.Reason.MEMORY_KILLED, ErrorCode.MEMORY_KILLED, false, text);
        }
        return exit.isCrash()
                ? new Ending(WorkerEnd.Reason.CRASHED, ErrorCode.WORKER_CRASHED, false, text)
                : new Ending(WorkerEnd.Reason.EXITED, ErrorCode.WORKER_EXITED, false, text);
    }

    /**
     * The same with what the worker left in its lane. Its exit code alone says nothing: any task may exit with any code.
     *
     * @param exitCode of its process, or how its loop ended
     */
    Ending refine(LaneView lane, int exitCode) {
        int state = lane.stateAcquire();
        if (state == WorkerState.FAILED) {
            boolean memory = lane.errorCodePlain() == ErrorCode.OUT_OF_MEMORY.number();
            return new Ending(
                    memory ? WorkerEnd.Reason.OUT_OF_MEMORY : WorkerEnd.Reason.CRASHED,
                    memory ? ErrorCode.OUT_OF_MEMORY : ErrorCode.WORKER_CRASHED,
                    false,
                    description + ", error=" + lane.errorTextPlain());
        }
        if (state == WorkerState.STOPPED && exitCode == LoopEnd.EXHAUSTED) {
            return new Ending(WorkerEnd.Reason.OUT_OF_MEMORY, ErrorCode.OUT_OF_MEMORY, true, description);
        }
        if (state == WorkerState.STOPPED && exitCode == LoopEnd.RETIRED) {
            return new Ending(WorkerEnd.Reason.RECYCLED, ErrorCode.WORKER_LOST, true, description);
        }
        return this;
    }

    /** The failure of a call that the worker had entered. */
    KnittingException failure() {
        String what = switch (reason) {
            case CRASHED -> "the worker crashed ";
            case OUT_OF_MEMORY -> "the worker ran out of memory ";
            case MEMORY_KILLED -> "the kernel killed the worker for lack of memory ";
            default -> "the worker ended ";
        };
        return new KnittingException(code, what + HELD + description);
    }
}

package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.WorkerEnd;
import org.jspecify.annotations.Nullable;

/**
 * Why the pool ends a worker by force.
 *
 * @param culprit the call on whose account
 * @param reason hard timeout, or going on after a cancel
 * @param failure what the culprit is settled with, unless somebody else has settled it; null if the worker is stuck and had
 *     not entered it: it runs elsewhere then
 */
record Execution(
        HostCall<?> culprit,
        WorkerEnd.Reason reason,
        @Nullable KnittingException failure) {
    /** The failure of another call that the worker had entered. */
    KnittingException failureOfBystander(int worker) {
        return KnittingException.of(
                ErrorCode.WORKER_LOST,
                "the pool ended the worker while it held the call, which may have run",
                "worker",
                worker,
                "reason",
                reason,
                "culprit",
                culprit.task.target());
    }
}

package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The pool's own failures, worded in one place. */
final class Failures {
    private Failures() {}

    static KnittingException poolClosed(String pool) {
        return KnittingException.of(ErrorCode.POOL_CLOSED, "the pool is closed", "pool", pool);
    }

    static KnittingException queueFull(String pool, int capacity) {
        return KnittingException.of(
                ErrorCode.QUEUE_FULL, "the host queue is full", "pool", pool, "limit", capacity, "option", "queue");
    }

    static KnittingException interrupted(TaskEntry task) {
        return KnittingException.of(
                ErrorCode.INTERRUPTED, "the calling thread was interrupted while it waited", "task", task.target());
    }

    static KnittingException arenaTooSmall(TaskEntry task, long bytes, long capacity) {
        return KnittingException.of(
                ErrorCode.ARENA_FULL,
                "the payload does not fit the arena",
                "task",
                task.target(),
                "length",
                bytes,
                "limit",
                capacity,
                "option",
                "payload.ceilingBytes");
    }

    static KnittingException corruptResult(int worker, String what, Object value) {
        return KnittingException.of(
                ErrorCode.CORRUPT_PEER, "a worker wrote what no correct worker writes", "worker", worker, what, value);
    }

    /** What a stage failed with: dependent stages wrap it. */
    static Throwable ofStage(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Under which name a failure is recorded: the code under which it is documented. */
    static String nameOf(@Nullable Object failure) {
        return switch (failure) {
            case CancellationException cancelled -> "CANCELLED";
            case KnittingException known -> known.code().name();
            case null, default -> ErrorCode.TASK_FAILED.name();
        };
    }

    /** The exception that {@code invoke} throws for this failure. */
    static RuntimeException forCaller(Throwable failure) {
        if (failure instanceof KnittingException known) {
            return known;
        }
        if (failure instanceof RuntimeException runtime) {
            return runtime;
        }
        return new KnittingException(ErrorCode.TASK_FAILED, String.valueOf(failure), failure);
    }
}

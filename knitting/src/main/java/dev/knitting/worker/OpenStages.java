package dev.knitting.worker;

import dev.knitting.boot.BoundTask;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one worker whose stages have not completed. Stages complete on any thread, but only the loop's thread
 * writes results: what completes is put into a queue, and the loop is woken.
 *
 * <p>Wake: whoever completes queues first and then looks whether the loop sleeps; the loop says that it sleeps and then
 * looks at the queue. Both words are volatile, so one of the two sees the other.
 */
final class OpenStages {
    /**
     * A stage that has completed.
     *
     * @param stopped whether it was cancelled because its call shall stop
     * @param guarded whether the host ends workers on the call's account
     */
    record Completed(
            long callId,
            BoundTask task,
            @Nullable Object value,
            @Nullable Throwable failure,
            boolean stopped,
            boolean guarded) {}

    private final WorkerIdle idle;
    private final AbortControl control;
    private final ConcurrentLinkedQueue<Completed> completed = new ConcurrentLinkedQueue<>();
    /** By call id; changed by the loop's thread only. */
    private final ConcurrentHashMap<Long, Watch> open = new ConcurrentHashMap<>();
    /** The loop has ended: the memory on which it slept may be gone. Guarded by this. */
    private boolean closed;

    OpenStages(WorkerIdle idle, AbortControl control) {
        this.idle = idle;
        this.control = control;
    }

    /** What a task returned, which must be a stage. */
    static CompletionStage<?> stage(@Nullable Object returned) {
        CompletionStage<?> stage = (CompletionStage<?>) Objects.requireNonNull(returned, "the task returned no stage");
        // Itself, but for the stages of CompletableFuture.completedStage and its kin, which refuse every question.
        return stage instanceof CompletableFuture<?> future ? future.toCompletableFuture() : stage;
    }

    /** Whether the stage has completed, as far as it can be asked. */
    static boolean isDone(CompletionStage<?> stage) {
        return stage instanceof CompletableFuture<?> future && future.isDone();
    }

    /**
     * The value of a stage that is done.
     *
     * @throws Throwable what it failed with
     */
    static @Nullable Object value(CompletionStage<?> stage) throws Throwable {
        try {
            return ((CompletableFuture<?>) stage).join();
        } catch (CompletionException e) {
            throw unwrapped(e);
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Watches a stage. The loop's thread only. */
    void add(long callId, BoundTask task, CompletionStage<?> stage, boolean guarded) {
        Watch watch = new Watch(callId, task, stage, guarded);
        open.put(callId, watch);
        stage.whenComplete(watch);
        VarHandle.fullFence(); // open -> look for an abort; partner: cancelAborted
        if (control.isAborted(callId)) {
            watch.stop();
        }
    }

    /** Cancels the stages of calls that the host wants to stop. Any thread, whenever there may be such calls. */
    void cancelAborted() {
        VarHandle.fullFence(); // abort seen -> look at what is open
        for (Watch watch : open.values()) {
            if (control.isAborted(watch.callId)) {
                watch.stop();
            }
        }
    }

    /** Whether calls are left to be answered. The loop's thread only. */
    boolean hasOpen() {
        return !open.isEmpty();
    }

    /** Whether a stage has completed and its call was not answered yet. */
    boolean hasCompleted() {
        return !completed.isEmpty();
    }

    /** The next one to be answered, or null. The loop's thread only. */
    @Nullable
    Completed poll() {
        Completed next = completed.poll();
        if (next != null) {
            open.remove(next.callId);
        }
        return next;
    }

    /** The loop ends: nobody waits for these stages any more. Those that can be cancelled are. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        for (Watch watch : open.values()) {
            watch.stop();
        }
    }

    private void completed(Completed answer) {
        synchronized (this) {
            if (!closed) {
                completed.add(answer);
                idle.wake();
            }
        }
    }

    /** Waits for one stage. */
    private final class Watch implements BiConsumer<@Nullable Object, @Nullable Throwable> {
        private final long callId;
        private final BoundTask task;
        private final CompletionStage<?> stage;
        private final boolean guarded;
        private volatile boolean stopped;

        Watch(long callId, BoundTask task, CompletionStage<?> stage, boolean guarded) {
            this.callId = callId;
            this.task = task;
            this.stage = stage;
            this.guarded = guarded;
        }

        /** Cancels the stage, if it can be. */
        void stop() {
            if (stage instanceof Future<?> future && !future.isDone()) {
                stopped = true; // before: whoever completes it reports how
                future.cancel(true);
            }
        }

        @Override
        public void accept(@Nullable Object value, @Nullable Throwable failure) {
            completed(
                    new Completed(callId, task, value, failure == null ? null : unwrapped(failure), stopped, guarded));
        }
    }
}

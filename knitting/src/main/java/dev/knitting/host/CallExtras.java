package dev.knitting.host;

import dev.knitting.Ended;
import dev.knitting.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What only few calls have: somebody who waits for the end of the work, or listens to its progress. Any thread. */
final class CallExtras {
    /** One listener: called by one thread at a time, with the latest report. */
    private static final class Subscription implements Runnable {
        private final Consumer<? super Progress> listener;
        private final AtomicReference<@Nullable Progress> pending = new AtomicReference<>();
        private final AtomicBoolean busy = new AtomicBoolean();

        Subscription(Consumer<? super Progress> listener) {
            this.listener = listener;
        }

        void offer(Progress report, Completion completion) {
            pending.set(report);
            if (busy.compareAndSet(false, true)) {
                completion.runCallback(this);
            }
        }

        @Override
        public void run() {
            do {
                Progress report;
                while ((report = pending.getAndSet(null)) != null) {
                    accept(report);
                }
                busy.set(false); // volatile: store busy -> look again; partner: store pending -> look at busy
            } while (pending.get() != null && busy.compareAndSet(false, true));
        }

        private void accept(Progress report) {
            try {
                listener.accept(report);
            } catch (RuntimeException | Error e) {
                System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, "a progress listener threw", e);
            }
        }
    }

    private final Completion completion;
    private final CompletableFuture<Ended> ended;
    /** Guarded by this object, as the next four. */
    private final List<Subscription> subscriptions = new ArrayList<>();

    private @Nullable Progress latest;
    private long latestPosition = -1;
    private @Nullable String abortReason;
    private @Nullable DoneSignal signal;

    CallExtras(Completion completion) {
        this.completion = completion;
        this.ended = new DependentFuture<>(completion);
    }

    /** Completes when the work has ended; a future for each caller. */
    CompletableFuture<Ended> ended() {
        return ended.copy();
    }

    /** The work has ended: callbacks run on a callback thread. */
    void end(Ended how) {
        if (!ended.isDone()) {
            completion.runCallback(() -> ended.complete(how));
        }
    }

    /** The work had ended when somebody asked: callbacks run on the asking thread. */
    void endNow(Ended how) {
        ended.complete(how);
    }

    /** For threads that wait for the call while another one settles it. */
    synchronized DoneSignal signal(HostCall<?> call) {
        DoneSignal known = signal;
        if (known == null) {
            known = DoneSignal.of(call);
            signal = known;
        }
        return known;
    }

    /** Why the task shall stop; the first reason counts. */
    synchronized void abortReason(String reason) {
        if (abortReason == null) {
            abortReason = reason;
        }
    }

    /** Why the task shall stop, or an empty text. */
    synchronized String abortReason() {
        return abortReason == null ? "" : abortReason;
    }

    synchronized void listen(Consumer<? super Progress> listener) {
        Subscription added = new Subscription(listener);
        subscriptions.add(added);
        Progress known = latest;
        if (known != null) {
            added.offer(known, completion);
        }
    }

    /**
     * The task has reported.
     *
     * @param position of the report in the return mailbox: drainers may hand reports on out of order
     */
    synchronized void progressed(long position, Progress report) {
        if (position <= latestPosition) {
            return;
        }
        latestPosition = position;
        latest = report;
        for (Subscription each : subscriptions) {
            each.offer(report, completion);
        }
    }
}

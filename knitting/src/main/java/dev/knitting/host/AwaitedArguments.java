package dev.knitting.host;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Calls whose argument is still being computed. They are no open work: a pool that closes does not wait for them, it
 * fails them. What a stage brings to a call that is settled is ignored.
 */
final class AwaitedArguments {
    private final Dispatcher dispatcher;
    private final Completion completion;
    private final Set<HostCall<?>> waiting = ConcurrentHashMap.newKeySet();

    AwaitedArguments(Dispatcher dispatcher, Completion completion) {
        this.dispatcher = dispatcher;
        this.completion = completion;
    }

    /** Brings the call on its way when the stage completes. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback settles the call, whatever happens
    <R extends @Nullable Object> HostCall<R> submit(HostCall<R> call, CompletionStage<?> argument) {
        call.awaitArgument();
        waiting.add(call);
        argument.whenComplete((value, failure) -> completed(call, value, failure));
        if (dispatcher.isClosed()) {
            failAll(); // closing may have looked before this call was there
        }
        return call;
    }

    private void completed(HostCall<?> call, @Nullable Object value, @Nullable Throwable failure) {
        if (!waiting.remove(call) || !call.tryStopAwaiting()) {
            return;
        }
        if (failure != null) {
            call.fail(Failures.ofStage(failure));
            completion.deliver(call);
            return;
        }
        call.argument = value;
        dispatcher.submitWithoutWaiting(call);
        call.recheck();
        completion.submitted();
    }

    /** After the dispatcher was closed. */
    void failAll() {
        for (HostCall<?> call : List.copyOf(waiting)) {
            if (waiting.remove(call) && call.tryStopAwaiting()) {
                dispatcher.refuse(call);
            }
        }
    }
}

package dev.knitting.host;

import dev.knitting.Task;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Tasks that return stages, and others that complete them. */
final class AsyncTasks {
    record Item(String name, List<Integer> sizes) {}

    /** A stage type that says in a roundabout way what it holds. */
    static class ItemFuture<X> extends CompletableFuture<Item> {}

    /** Waits for {@link #RELEASE} with its number. */
    static final Task<Integer, Integer> GATED = Task.async(AsyncTasks::gated);
    /** Completes a gated call; whether there was one. */
    static final Task<Integer, Boolean> RELEASE = Task.of(AsyncTasks::release);

    static final Task<Integer, Long> DELAYED = Task.async(AsyncTasks::delayed);
    static final Task<Void, Integer> MOST_OPEN = Task.of(AsyncTasks::mostOpen);
    static final Task<Void, String> DONE = Task.async(AsyncTasks::done);
    static final Task<String, String> FAILED = Task.async(AsyncTasks::failed);
    static final Task<String, byte[]> BYTES = Task.async(AsyncTasks::bytes);
    static final Task<String, Item> ITEM = Task.async(AsyncTasks::item);
    static final Task<String, Item> ITEM_SUBTYPE = Task.async(AsyncTasks::itemSubtype);
    static final Task<String, CompletionStage<String>> NESTED = Task.async(AsyncTasks::nested);
    static final Task<String, Object> OPAQUE = Task.async(AsyncTasks::opaque);
    static final Task<String, String> LAMBDA = Task.async(text ->
            CompletableFuture.supplyAsync(() -> text + Thread.currentThread().isDaemon()));
    static final Task<Integer, Integer> HALT = Task.of(AsyncTasks::halt);

    static final ConcurrentMap<Integer, CompletableFuture<Integer>> GATES = new ConcurrentHashMap<>();

    private static final AtomicInteger OPEN = new AtomicInteger();
    private static final AtomicInteger MOST = new AtomicInteger();

    private AsyncTasks() {}

    private static CompletableFuture<Integer> gated(int number) {
        CompletableFuture<Integer> gate = new CompletableFuture<>();
        GATES.put(number, gate);
        return gate;
    }

    private static boolean release(int number) {
        CompletableFuture<Integer> gate = GATES.remove(number);
        return gate != null && gate.complete(-number);
    }

    /** Completes so many microseconds later, on another thread. */
    private static CompletionStage<Long> delayed(int micros) {
        MOST.accumulateAndGet(OPEN.incrementAndGet(), Math::max);
        return CompletableFuture.supplyAsync(
                () -> {
                    OPEN.decrementAndGet();
                    return 2L * micros;
                },
                CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS));
    }

    private static int mostOpen() {
        return MOST.getAndSet(0);
    }

    private static CompletableFuture<String> done() {
        return CompletableFuture.completedFuture("done");
    }

    private static CompletionStage<String> failed(String how) {
        return switch (how) {
            case "throws" -> throw new IllegalStateException("before any stage");
            case "null" -> null;
            case "at once" -> CompletableFuture.failedFuture(new IOException("at once"));
            case "dependent" ->
                CompletableFuture.supplyAsync(() -> {
                            throw new CompletionException(new IOException("dependent"));
                        })
                        .thenApply(Object::toString);
            case "cancelled" -> {
                CompletableFuture<String> stage = new CompletableFuture<>();
                CompletableFuture.runAsync(() -> stage.cancel(true));
                yield stage;
            }
            default ->
                CompletableFuture.supplyAsync(() -> {
                    throw new IllegalArgumentException(how);
                });
        };
    }

    private static CompletableFuture<byte[]> bytes(String text) {
        return CompletableFuture.supplyAsync(
                () -> text.repeat(500_000).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private static CompletableFuture<Item> item(String name) {
        return CompletableFuture.supplyAsync(() -> new Item(name, List.of(1, 2)));
    }

    private static ItemFuture<String> itemSubtype(String name) {
        ItemFuture<String> future = new ItemFuture<>();
        CompletableFuture.runAsync(() -> future.complete(new Item(name, List.of())));
        return future;
    }

    private static CompletableFuture<CompletionStage<String>> nested(String text) {
        return CompletableFuture.supplyAsync(() -> CompletableFuture.completedFuture(text));
    }

    private static CompletableFuture<Object> opaque(String text) {
        return CompletableFuture.supplyAsync(() -> text.isEmpty() ? text : Thread.currentThread());
    }

    private static int halt(int code) {
        Runtime.getRuntime().halt(code);
        return code;
    }
}

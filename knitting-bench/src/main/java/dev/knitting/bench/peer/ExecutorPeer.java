package dev.knitting.bench.peer;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;

/** The executors of the JDK: submit all, get all. */
final class ExecutorPeer implements Peer {
    private final String name;
    private final ExecutorService executor;

    private ExecutorPeer(String name, ExecutorService executor) {
        this.name = name;
        this.executor = executor;
    }

    /** {@code Executors.newFixedThreadPool(1)}. */
    static Peer fixed() {
        return new ExecutorPeer(
                "jdk-executor",
                Executors.newFixedThreadPool(
                        1, Thread.ofPlatform().daemon().name("jdk-executor").factory()));
    }

    /** A pool of one worker that takes tasks in the order of their submission, as is recommended for events. */
    static Peer forkJoin() {
        return new ExecutorPeer(
                "jdk-forkjoin", new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true));
    }

    /** A virtual thread for each task, on the JDK's own scheduler: it may use all cores. */
    static Peer virtual() {
        return new ExecutorPeer("jdk-virtual", Executors.newVirtualThreadPerTaskExecutor());
    }

    @Override
    public long inc(long value) throws ExecutionException, InterruptedException {
        return executor.submit(() -> BenchTasks.inc(value)).get();
    }

    @Override
    public void incAll(long[] values, long[] results) throws ExecutionException, InterruptedException {
        Future<Long>[] calls = calls(values.length);
        for (int i = 0; i < values.length; i++) {
            long value = values[i];
            calls[i] = executor.submit(() -> BenchTasks.inc(value));
        }
        for (int i = 0; i < calls.length; i++) {
            results[i] = calls[i].get();
        }
    }

    @Override
    public void bytesAll(byte[][] values, byte[][] results) throws ExecutionException, InterruptedException {
        all(values, results, value -> () -> BenchTasks.echoBytes(value));
    }

    @Override
    public void stringsAll(String[] values, String[] results) throws ExecutionException, InterruptedException {
        all(values, results, value -> () -> BenchTasks.echoString(value));
    }

    @Override
    public void ordersAll(Order[] values, Order[] results) throws ExecutionException, InterruptedException {
        all(values, results, value -> () -> BenchTasks.echoOrder(value));
    }

    private <T> void all(T[] values, T[] results, Binding<T> task) throws ExecutionException, InterruptedException {
        Future<T>[] calls = calls(values.length);
        for (int i = 0; i < values.length; i++) {
            calls[i] = executor.submit(task.to(values[i]));
        }
        for (int i = 0; i < calls.length; i++) {
            results[i] = calls[i].get();
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no generic arrays; this one never leaves the class.
    private static <T> Future<T>[] calls(int count) {
        return new Future[count];
    }

    private interface Binding<T> {
        Callable<T> to(T value);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Kind kind() {
        return Kind.THREAD;
    }

    @Override
    public void close() {
        executor.close();
    }
}

package dev.knitting.bench;

import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongUnaryOperator;

/** A pool of several workers that runs one task, from a long to a long. */
interface Submitter extends AutoCloseable {
    /** The name used in reports. */
    String name();

    /** Submits the task without waiting for it. */
    Future<Long> submit(long argument);

    /** Finishes and ends the workers. */
    @Override
    void close();

    /** A pool of this library. */
    static Submitter knitting(Isolation isolation, int workers, Task<Long, Long> task) {
        String name = isolation == Isolation.THREADS ? "knitting-thread" : "knitting-process";
        Pool pool = Pool.of(isolation).workers(workers).name(name).open(task);
        return new Submitter() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Future<Long> submit(long argument) {
                return pool.submit(task, argument);
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    /** A fixed thread pool of the JDK. */
    static Submitter executor(int workers, LongUnaryOperator task) {
        ExecutorService executor = Executors.newFixedThreadPool(
                workers, Thread.ofPlatform().daemon().name("jdk-executor-", 0).factory());
        return new Submitter() {
            @Override
            public String name() {
                return "jdk-executor";
            }

            @Override
            public Future<Long> submit(long argument) {
                return executor.submit(() -> task.applyAsLong(argument));
            }

            @Override
            public void close() {
                executor.close();
            }
        };
    }
}

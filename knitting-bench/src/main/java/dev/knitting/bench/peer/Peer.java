package dev.knitting.bench.peer;

import java.io.IOException;

/**
 * One way to run the functions of {@link BenchTasks} elsewhere, already started.
 *
 * <p>A batch creates all its calls and then waits for all of them: {@code results[i]} belongs to {@code values[i]}. The
 * operations are typed so that no peer pays for a wrapper it does not need. One caller thread at a time, unless {@link #isShared}. Every
 * operation throws whatever its mechanism throws, which ends the run.
 */
public interface Peer extends AutoCloseable {
    /** The name used on the command line and in reports. */
    String name();

    /** Where the functions run. */
    Kind kind();

    /** Whether the peer has this operation; the others must not be called. */
    default boolean supports(Op op) {
        return true;
    }

    /** Whether several threads may call at the same time. */
    default boolean isShared() {
        return false;
    }

    /** {@link BenchTasks#inc}, one blocking call. */
    long inc(long value) throws Exception;

    /** A batch of {@link BenchTasks#inc}. */
    default void incAll(long[] values, long[] results) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /** A batch of {@link BenchTasks#echoBytes}. */
    default void bytesAll(byte[][] values, byte[][] results) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /** A batch of {@link BenchTasks#echoString}. */
    default void stringsAll(String[] values, String[] results) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /** A batch of {@link BenchTasks#echoOrder}. */
    default void ordersAll(Order[] values, Order[] results) throws Exception {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Called when another peer's turn comes: from now on this one must leave both cores alone. The next operation wakes
     * it.
     */
    default void pause() {}

    /** Ends the threads and the process that the peer started. */
    @Override
    void close() throws IOException;
}

package dev.knitting;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory that the host and the workers of one pool see at the same time, with a lifetime. It crosses as a few words
 * whatever its size, as an argument or a result, alone or inside records and collections: nothing is copied.
 *
 * <p>Made by {@link Pool#allocate} in the host and by {@link TaskContext#allocate} in a task. Who holds it:
 *
 * <ul>
 *   <li><b>the host</b>, from {@code allocate}, or from the result that brought it, until {@link #close()};
 *   <li><b>each call</b> that it was given to as an argument or whose task allocated it, until that call has settled.
 * </ul>
 *
 * The memory is freed when the last one lets go; what a dead worker had is let go with its calls. Closing the pool closes
 * everything. Closed means that every view throws {@link IllegalStateException}: none ever reads memory that was freed.
 *
 * <p><b>Share</b>: hand the buffer over. Both sides see each other's writes; what orders them are calls, their results
 * and the atomic methods here. <b>Move</b>: hand over {@link #move()}. The host's views are closed at once, and the memory
 * is freed with the call unless its result brings it back.
 *
 * <p>In a worker process a buffer is valid as long as the call: its views die when the task has returned, or when its stage
 * has completed. Views that {@link #segment} gives to the task's own thread are for that thread only; another thread asks
 * for its own. Worker threads to which arguments go by reference have the host's own object, as with any other argument.
 *
 * <p>Contents are bytes in native byte order; new memory is zero. Any thread may use a buffer.
 */
public interface SharedBuffer extends AutoCloseable {
    /** Length in bytes, from 1. */
    long size();

    /**
     * The memory, read and write, aligned to 64 bytes at the start of a buffer that was allocated.
     *
     * @throws IllegalStateException if the buffer is closed
     */
    MemorySegment segment();

    /**
     * The memory as a buffer in native byte order, position 0.
     *
     * @throws IllegalStateException if the buffer is closed
     * @throws UnsupportedOperationException if it is longer than 2 GiB: take a part
     */
    ByteBuffer byteBuffer();

    /**
     * A part of this buffer: a buffer that can be handed over like the whole, and lives as long as that. Closing it does
     * nothing.
     *
     * @param offset first byte
     * @param length how many bytes, from 1
     * @throws IndexOutOfBoundsException if it does not lie in this buffer
     * @throws IllegalStateException if the buffer is closed
     */
    SharedBuffer slice(long offset, long length);

    /**
     * Gives the buffer away: closes this object, and returns another one for the same memory, to be handed to a call. That
     * one is let go of when the call has settled, unless the call's result names it. (Inside a record or collection of a call
     * that was never handed to a worker: when nobody can reach it.)
     *
     * @throws IllegalStateException if the buffer is closed, or a thread is using a view in an I/O call
     * @throws UnsupportedOperationException if this is a part
     */
    SharedBuffer move();

    /** Whether it was not closed. */
    boolean isOpen();

    /**
     * Lets go of the memory: every view of this object throws from now on. May be repeated. In a worker process only that
     * worker's views are closed.
     *
     * @throws IllegalStateException if another thread is using a view in an I/O call; may be tried again
     */
    @Override
    void close();

    /**
     * Reads an int in the one order of all volatile accesses.
     *
     * @param offset a multiple of 4
     * @throws IndexOutOfBoundsException if it does not lie in this buffer
     */
    int getIntVolatile(long offset);

    /** Writes an int in the one order of all volatile accesses. As {@link #getIntVolatile}. */
    void setIntVolatile(long offset, int value);

    /** Replaces {@code expected} by {@code value}; whether it did. As {@link #getIntVolatile}. */
    boolean compareAndSetInt(long offset, int expected, int value);

    /** Adds to an int; what it was. As {@link #getIntVolatile}. */
    int getAndAddInt(long offset, int delta);

    /**
     * Reads a long in the one order of all volatile accesses.
     *
     * @param offset a multiple of 8
     * @throws IndexOutOfBoundsException if it does not lie in this buffer
     */
    long getLongVolatile(long offset);

    /** Writes a long in the one order of all volatile accesses. As {@link #getLongVolatile}. */
    void setLongVolatile(long offset, long value);

    /** Replaces {@code expected} by {@code value}; whether it did. As {@link #getLongVolatile}. */
    boolean compareAndSetLong(long offset, long expected, long value);

    /** Adds to a long; what it was. As {@link #getLongVolatile}. */
    long getAndAddLong(long offset, long delta);
}

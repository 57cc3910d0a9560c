package dev.knitting;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Teaches a pool a type that it does not know. Implementations have a public constructor without parameters, are named
 * by {@link PoolBuilder#codec} and are instantiated once on the host and once in every worker; they must be thread-safe.
 *
 * @param <T> the type, matched exactly
 */
public interface PayloadCodec<T> {
    /** The class that this codec writes and reads; subclasses are not matched. */
    Class<T> type();

    /**
     * Writes the value. Must write whatever {@link #read} reads, and no more.
     *
     * @throws IOException if the value cannot be written; fails the call
     */
    void write(T value, DataOutput output) throws IOException;

    /**
     * Reads a value. The bytes may come from a hostile peer: check before use.
     *
     * @throws IOException if the bytes make no value; fails the call
     */
    T read(DataInput input) throws IOException;
}

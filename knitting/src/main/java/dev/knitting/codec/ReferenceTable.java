package dev.knitting.codec;

import org.jspecify.annotations.Nullable;

/**
 * Where a thread worker finds arguments and leaves results that travel by reference ({@link PayloadTag#REFERENCE}): the
 * objects stay on the heap, only the call id goes through the mailbox. Implemented by the host over its pending calls;
 * any thread may call it.
 *
 * <p>Handing over through the mailbox orders the accesses: what the host stored before it published the call is seen by
 * the worker that claimed it, and the result likewise on the way back.
 */
public interface ReferenceTable {
    /**
     * The argument of a call.
     *
     * @throws dev.knitting.KnittingException {@code CORRUPT_PEER} if there is no such call
     */
    @Nullable
    Object argument(long callId);

    /**
     * Leaves the outcome of a call; a call that was settled in the meantime ignores it.
     *
     * @param value the result, or the {@link Throwable} that the task threw
     * @param failed whether {@code value} is what the task threw
     */
    void result(long callId, @Nullable Object value, boolean failed);
}

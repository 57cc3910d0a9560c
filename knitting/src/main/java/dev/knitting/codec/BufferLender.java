package dev.knitting.codec;

import dev.knitting.SharedBuffer;

/**
 * Where the tasks of a worker that is a thread get shared buffers: from the host, which they share a JVM with. Implemented
 * by the host; the worker's thread calls it.
 */
public interface BufferLender {
    /**
     * The buffers of a call, as its task sees them.
     *
     * @throws dev.knitting.KnittingException {@code CORRUPT_PEER} if there is no such call
     */
    BufferAccess ofTask(long callId);

    /**
     * A new buffer for a call's task.
     *
     * @param bytes its length, from 1
     * @throws dev.knitting.KnittingException if there is no room, no memory or no such call
     */
    SharedBuffer allocate(long callId, long bytes);
}

package dev.knitting.worker;

import dev.knitting.SharedBuffer;
import dev.knitting.codec.BufferHandle;
import dev.knitting.codec.BufferViews;

/** A buffer as a task in a worker process has it, as long as its call. */
final class LentHandle extends BufferHandle {
    private final LentBuffers lender;
    private final long callId;

    LentHandle(LentBuffers lender, long callId, long id, long start, long size, BufferViews views) {
        super(id, start, size, views);
        this.lender = lender;
        this.callId = callId;
    }

    boolean isOf(long call) {
        return callId == call;
    }

    /** The memory is the call's all the same: what is closed are views. */
    @Override
    public SharedBuffer move() {
        if (!isOpen()) {
            throw new IllegalStateException("the buffer is closed: " + this);
        }
        views().close();
        return lender.lend(callId, id(), start(), size());
    }

    @Override
    public void close() {
        views().close();
    }
}

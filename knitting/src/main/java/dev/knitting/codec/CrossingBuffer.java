package dev.knitting.codec;

import dev.knitting.SharedBuffer;
import dev.knitting.memory.SharedWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** What all shared buffers have in common, and the only kind that the codec takes. Any thread. */
public abstract class CrossingBuffer implements SharedBuffer {
    private final long start;
    private final long size;

    /** A buffer at this offset of its segment. */
    CrossingBuffer(long start, long size) {
        this.start = start;
        this.size = size;
    }

    /** What has the lifetime. */
    public abstract BufferHandle whole();

    /** Offset in the segment. */
    public final long start() {
        return start;
    }

    @Override
    public final long size() {
        return size;
    }

    @Override
    public final ByteBuffer byteBuffer() {
        return segment().asByteBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    public final SharedBuffer slice(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, size);
        if (length == 0) {
            throw new IndexOutOfBoundsException("a part has at least one byte: offset=" + offset + ", length=0");
        }
        BufferHandle whole = whole();
        whole.views().requireOpen();
        return new BufferPart(whole, start + offset, length);
    }

    @Override
    public final boolean isOpen() {
        return !whole().views().isClosed();
    }

    @Override
    public final int getIntVolatile(long offset) {
        return SharedWords.getIntVolatile(segment(), offset);
    }

    @Override
    public final void setIntVolatile(long offset, int value) {
        SharedWords.setIntVolatile(segment(), offset, value);
    }

    @Override
    public final boolean compareAndSetInt(long offset, int expected, int value) {
        return SharedWords.casIntVolatile(segment(), offset, expected, value);
    }

    @Override
    public final int getAndAddInt(long offset, int delta) {
        return SharedWords.getAndAddIntVolatile(segment(), offset, delta);
    }

    @Override
    public final long getLongVolatile(long offset) {
        return SharedWords.getLongVolatile(segment(), offset);
    }

    @Override
    public final void setLongVolatile(long offset, long value) {
        SharedWords.setLongVolatile(segment(), offset, value);
    }

    @Override
    public final boolean compareAndSetLong(long offset, long expected, long value) {
        return SharedWords.casLongVolatile(segment(), offset, expected, value);
    }

    @Override
    public final long getAndAddLong(long offset, long delta) {
        return SharedWords.getAndAddLongVolatile(segment(), offset, delta);
    }

    @Override
    public final String toString() {
        return "SharedBuffer[id=" + whole().id() + ", size=" + size + (isOpen() ? "]" : ", closed]");
    }
}

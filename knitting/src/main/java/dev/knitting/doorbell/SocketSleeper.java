package dev.knitting.doorbell;

import dev.knitting.mailbox.BellWord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sleeps in a selector over the sockets of those that may ring.
 *
 * <p>A leader that was displaced may still be in the selector when its successor comes: one at a time, and the successor
 * does not sleep if the byte of its ring was taken by the other.
 */
public final class SocketSleeper implements BellSleeper {
    private final MemorySegment[] segments;
    private final long[] offsets;
    private final Selector selector;
    private final ByteBuffer bytes = ByteBuffer.allocate(256);
    private final ReentrantLock selecting = new ReentrantLock();

    /** A sleeper on these words; {@link #add} the sockets. */
    public SocketSleeper(MemorySegment[] segments, long[] offsets) throws IOException {
        this.segments = segments.clone();
        this.offsets = offsets.clone();
        this.selector = Selector.open();
    }

    /** Listens to a socket too, which becomes non-blocking. Any thread. */
    public void add(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        selector.wakeup(); // a sleep that has begun does not know the new socket: it must begin again
    }

    @Override
    public void arm() {
        for (int i = 0; i < offsets.length; i++) {
            BellWord.armVolatile(segments[i], offsets[i]);
        }
    }

    @Override
    public void disarm() {
        for (int i = 0; i < offsets.length; i++) {
            BellWord.disarmRelease(segments[i], offsets[i]);
        }
    }

    @Override
    public void sleep(long nanos) {
        selecting.lock();
        try {
            if (areAllArmed()) {
                selector.select(this::drain, Math.max(1, nanos / 1_000_000));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            selecting.unlock();
        }
    }

    private boolean areAllArmed() {
        for (int i = 0; i < offsets.length; i++) {
            if (!BellWord.isArmedOpaque(segments[i], offsets[i])) {
                return false;
            }
        }
        return true;
    }

    private void drain(SelectionKey key) {
        try {
            bytes.clear();
            if (((SocketChannel) key.channel()).read(bytes) < 0) {
                key.cancel();
            }
        } catch (IOException e) {
            key.cancel(); // the peer is gone: its exit is noticed by the one who watches processes
        }
    }

    @Override
    public void kick() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.knitting.bench.peer;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One side of an Aeron connection over shared memory: a publication and a subscription. A message is its operation, in
 * eight bytes that keep the payload aligned, and the payload.
 *
 * <p>The logs are large enough that a batch of 16 MiB is never held up by the driver, and touched beforehand. Short
 * messages are written where they are read. Not thread-safe.
 */
final class AeronLink implements AutoCloseable {
    /** Bytes before a message's payload. */
    static final int HEADER_BYTES = 8;

    static final int CALLS = 10;
    static final int REPLIES = 20;
    /** Half of it may be under way. */
    static final int TERM_BYTES = 32 << 20;

    private static final String CHANNEL = "aeron:ipc?term-length=" + TERM_BYTES + "|mtu=65504|sparse=false";
    private static final int FRAGMENTS_PER_POLL = 256;

    private final ExclusivePublication publication;
    private final Subscription subscription;
    private final FragmentAssembler assembler;
    private final IdleStrategy idle;
    private final BufferClaim claim = new BufferClaim();
    private final UnsafeBuffer header = new UnsafeBuffer(new byte[HEADER_BYTES]);
    private boolean isPolling;
    private volatile boolean isGone;

    AeronLink(Aeron aeron, int outgoing, int incoming, boolean isSpinning, FragmentHandler handler) {
        publication = aeron.addExclusivePublication(CHANNEL, outgoing);
        subscription = aeron.addSubscription(CHANNEL, incoming);
        assembler = new FragmentAssembler(handler);
        idle = isSpinning ? BusySpinIdleStrategy.INSTANCE : new BackoffIdleStrategy();
    }

    boolean isConnected() {
        return publication.isConnected() && subscription.isConnected();
    }

    /** Ends a wait of this side, from any thread: the other one is gone. */
    void gone() {
        isGone = true;
    }

    /** Takes what is there, without waiting; how many fragments. */
    int poll() {
        isPolling = true;
        int fragments = subscription.poll(assembler, FRAGMENTS_PER_POLL);
        isPolling = false;
        return fragments;
    }

    /** Takes what is there, or waits a little in the way of this link. */
    void pollOrIdle() throws IOException {
        idle.idle(poll());
        if (isGone) {
            throw new IOException("the other side is gone");
        }
    }

    void sendLong(int operation, long value) throws IOException {
        while (publication.tryClaim(HEADER_BYTES + Long.BYTES, claim) < 0) {
            awaitRoom();
        }
        int offset = claim.offset();
        claim.buffer().putInt(offset, operation);
        claim.buffer().putLong(offset + HEADER_BYTES, value);
        claim.commit();
    }

    void send(int operation, DirectBuffer payload, int length) throws IOException {
        if (HEADER_BYTES + length <= publication.maxPayloadLength()) {
            while (publication.tryClaim(HEADER_BYTES + length, claim) < 0) {
                awaitRoom();
            }
            claim.buffer().putInt(claim.offset(), operation);
            claim.buffer().putBytes(claim.offset() + HEADER_BYTES, payload, 0, length);
            claim.commit();
        } else {
            header.putInt(0, operation);
            while (publication.offer(header, 0, HEADER_BYTES, payload, 0, length) < 0) {
                awaitRoom();
            }
        }
    }

    /** The other side may wait for room too: what it sent is taken meanwhile, unless a handler is what sends. */
    private void awaitRoom() throws IOException {
        if (isGone || publication.isClosed() || !publication.isConnected()) {
            throw new IOException("the other side is gone");
        }
        if (isPolling) {
            Thread.onSpinWait();
        } else {
            poll();
        }
    }

    @Override
    public void close() {
        publication.close();
        subscription.close();
    }
}

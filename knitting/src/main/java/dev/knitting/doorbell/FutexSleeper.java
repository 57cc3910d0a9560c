package dev.knitting.doorbell;

import dev.knitting.mailbox.BellWord;
import dev.knitting.memory.Futex;
import java.lang.foreign.MemorySegment;

/** Sleeps by futex on one word, or on several of them (a segment per worker) by {@code futex_waitv}. */
public final class FutexSleeper implements BellSleeper {
    private final MemorySegment[] segments;
    private final long[] offsets;
    private final long[] addresses;
    private final int[] expected;

    /** A sleeper on the words at these offsets of these segments, which stay mapped while anybody sleeps. */
    public FutexSleeper(MemorySegment[] segments, long[] offsets) {
        this.segments = segments.clone();
        this.offsets = offsets.clone();
        this.addresses = new long[offsets.length];
        this.expected = new int[offsets.length];
        for (int i = 0; i < offsets.length; i++) {
            addresses[i] = segments[i].address() + offsets[i];
            expected[i] = BellWord.ARMED;
        }
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
        if (addresses.length == 1) {
            Futex.waitOn(addresses[0], BellWord.ARMED, nanos);
        } else {
            Futex.waitOnAny(addresses, expected, addresses.length, nanos);
        }
    }

    @Override
    public void kick() {
        // One word is enough: the sleeper waits on all of them.
        BellWord.tryRing(segments[0], offsets[0]);
        Futex.wake(addresses[0], Integer.MAX_VALUE);
    }

    @Override
    public void close() {}
}

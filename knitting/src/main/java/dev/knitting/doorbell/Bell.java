package dev.knitting.doorbell;

import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.BellWord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** The publisher's end of one bell. Any thread. */
public final class Bell {
    private final MemorySegment segment;
    private final long offset;
    private final BellRinger ringer;
    private final boolean asymmetric;

    /**
     * A bell.
     *
     * @param offset of the sleeper's word
     * @param asymmetric see {@link BellFence}
     */
    public Bell(MemorySegment segment, long offset, BellRinger ringer, boolean asymmetric) {
        this.segment = segment;
        this.offset = offset;
        this.ringer = ringer;
        this.asymmetric = asymmetric;
    }

    /** After a publication: rings if the other side sleeps. */
    public void published() {
        fence();
        ringIfArmed();
    }

    /** The first half of {@link #published}: orders the publication before the look at the bell. */
    public void fence() {
        BellFence.publisher(asymmetric);
    }

    /** The second half of {@link #published}; whether it was this that rang. */
    public boolean ringIfArmed() {
        return BellWord.isArmedOpaque(segment, offset) && ring();
    }

    /** Whether the other side sleeps; a hint. */
    public boolean isArmed() {
        return BellWord.isArmedOpaque(segment, offset);
    }

    private boolean ring() {
        if (!BellWord.tryRing(segment, offset)) {
            return false;
        }
        try {
            ringer.wake();
            return true;
        } catch (IOException | RuntimeException e) {
            // The message stays published: the sleeper finds it when its park ends, or at the next ring.
            BellWord.unring(segment, offset);
            return false;
        }
    }
}

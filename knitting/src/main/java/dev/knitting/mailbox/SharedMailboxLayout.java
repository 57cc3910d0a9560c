package dev.knitting.mailbox;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;

/**
 * A submit mailbox that several workers serve: who has claimed what, the mailbox, the arena of its payloads. The slots are
 * those of any mailbox ({@link SlotLayout}): written by the host alone, and only read by workers, so that their lines
 * travel one way. What workers write lies apart from them.
 *
 * <pre>
 *   byte 0       claims: 64 words, one for each slot, 64 bytes apart (worker)
 *   byte 4096    wants: 32 words, one for each worker, 64 bytes apart (that worker)
 *   byte 6144    live: which workers' wants count, one bit each (host)
 *   byte 8192    submit mailbox, 36864 bytes
 *   byte 45056   submit arena
 * </pre>
 *
 * <ul>
 *   <li>{@code claim}: see {@link ClaimWord}; edge [claimed].
 *   <li>{@code want}: under {@code DEKKER}, the region that a worker is about to claim from, plus 1, or 0; pair 14 of the memory model.
 *   <li>{@code live}: a worker whose bit is clear has ended: its want is not waited for.
 * </ul>
 */
public final class SharedMailboxLayout {
    /** The words before the mailbox as a struct. */
    public static final StructLayout LAYOUT = structLayout(
                    sequenceLayout(64, structLayout(JAVA_LONG.withName("claim"), paddingLayout(56)))
                            .withName("claims"),
                    sequenceLayout(32, structLayout(JAVA_INT.withName("want"), paddingLayout(60)))
                            .withName("wants"),
                    JAVA_INT.withName("live"),
                    paddingLayout(2044))
            .withName("sharedMailbox");

    /** Most workers that may claim from one mailbox. */
    public static final int MOST_CLAIMANTS = 31;

    /** Where the mailbox starts, from the area's base. */
    public static final long SLOTS_OFFSET = 8192;
    /** Where the arena starts, from the area's base. */
    public static final long ARENA_OFFSET = SLOTS_OFFSET + SlotLayout.MAILBOX_BYTES;

    static final long CLAIMS_OFFSET = 0;
    static final long CLAIM_STRIDE_BYTES = 64;
    static final long WANTS_OFFSET = 4096;
    static final long WANT_STRIDE_BYTES = 64;
    static final long LIVE_OFFSET = 6144;

    private SharedMailboxLayout() {}

    /** Length of the whole, with an arena of so many bytes. */
    public static long bytes(long arenaBytes) {
        return (ARENA_OFFSET + arenaBytes + 4095) & -4096L;
    }
}

package dev.knitting.mailbox;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Discipline DEKKER: a call is claimed with loads and stores alone, after Dekker's algorithm for many. The mailbox is cut
 * into regions. A worker stores which region it wants, fences, and looks at what the others want. One with a lower number
 * that wants the same region is its senior: the worker withdraws. For its juniors it waits until they have withdrawn, or
 * claimed. Then the region is its own for the moment: it stores the claim and stops wanting.
 *
 * <p>INV-1: of two that want the same region at a time, one sees the other, for each stores before it looks, with a full
 * fence between. INV-2: each want is written by its worker alone; that of a worker which has ended counts no more,
 * by its bit in {@code live}. A worker that is stopped within these few instructions keeps others from the region, and, since
 * claims are made in order, from all calls that follow, until it goes on or ends: the price of doing without atomic
 * operations. {@link TicketReader} does not pay it.
 */
public final class DekkerReader extends ClaimReader {
    /** Number of the host, which claims what nobody can serve any more: junior to all. */
    public static final int HOST = SharedMailboxLayout.MOST_CLAIMANTS;

    private static final int REGION_SHIFT = 3;
    /** Looks at a junior's want before the poll is given up: it was stopped, or descheduled. */
    private static final int MOST_SPINS = 1_000;

    private final int number;
    private final int workers;

    /**
     * A reader of a shared mailbox.
     *
     * @param window the area up to its arena, {@link SharedMailboxLayout#ARENA_OFFSET} bytes
     * @param number the worker's number, or {@link #HOST}
     * @param workers how many there are
     */
    public DekkerReader(ByteBuffer window, int number, int workers) {
        super(window);
        this.number = number;
        this.workers = workers;
    }

    @Override
    public boolean tryClaim() {
        long at = position();
        int region = ((int) at & SlotLayout.SLOT_MASK) >>> REGION_SHIFT;
        claims.wantRelease(number, region + 1);
        VarHandle.fullFence(); // my want -> what the others want
        boolean claimed = isAlone(region + 1) && tryStore(at);
        claims.wantRelease(number, 0); // [claimed: release] the claim is stored before this
        return claimed;
    }

    private boolean isAlone(int want) {
        for (int senior = 0; senior < Math.min(number, workers); senior++) {
            if (claims.isWantedAcquire(senior, want)) {
                return false;
            }
        }
        for (int junior = number + 1; junior < workers; junior++) {
            if (!isLeftBy(junior, want)) {
                return false;
            }
        }
        return number == HOST || isLeftBy(HOST, want);
    }

    private boolean isLeftBy(int junior, int want) {
        for (int spins = 0; spins < MOST_SPINS; spins++) {
            if (!claims.isWantedAcquire(junior, want)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** The region is this worker's: claims, unless somebody has done so before. */
    private boolean tryStore(long at) {
        advance(); // by this worker or by another one: it is claimed
        if (ClaimWord.isClaimed(claims.claimAcquire(at), at)) {
            return false;
        }
        claims.claimRelease(at, number == HOST ? 0 : number + 1);
        return true;
    }
}

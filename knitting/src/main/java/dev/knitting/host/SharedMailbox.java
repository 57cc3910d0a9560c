package dev.knitting.host;

import dev.knitting.Discipline;
import dev.knitting.codec.PayloadArena;
import dev.knitting.mailbox.BellFence;
import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.ClaimView;
import dev.knitting.mailbox.ClaimWord;
import dev.knitting.mailbox.DekkerReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.TicketReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a submit mailbox that all workers of the pool serve. Any of them may claim any call; the claim word of
 * the slot says who did.
 *
 * <p>A slot may be written again when its call was claimed. Mostly that is known without a look at shared memory: the call
 * was answered. If it is open still, the claim word is read, and who claimed the call is noted here, for the word will
 * tell of the next call only. A long call does not keep its place in the table from those behind: their ticket is passed
 * over, as a void message.
 *
 * <p>INV-1: a slot is written only after its previous message was claimed, or answered, which implies it. INV-2: of each
 * open call the claimant is known from the claim word or from the note.
 */
final class SharedMailbox extends SubmitMailbox {
    private static final int MOST_VAIN_CLAIMS = 10_000;

    private final ByteBuffer window;
    private final ClaimView claims;
    private final boolean asymmetric;
    private final int places;
    private final Discipline discipline;
    /** Who claimed a call whose slot has been written again; by the call's place in the table. */
    private final AtomicIntegerArray noted = new AtomicIntegerArray(TABLE);

    private volatile Lane[] lanes = {};
    /** The last void message: of what comes after it, what is not in the table was answered. Grows only. */
    private volatile long lastVoid = -1;
    /** Where the last ring went. A hint. */
    private int cursor;

    /**
     * A shared mailbox.
     *
     * @param window the area up to its arena, {@link SharedMailboxLayout#ARENA_OFFSET} bytes, all zero
     * @param asymmetric see {@link BellFence}
     * @param places how many workers there may be
     */
    SharedMailbox(
            ByteBuffer window,
            PayloadArena arena,
            long arenaBytes,
            boolean asymmetric,
            boolean byReference,
            int places,
            Discipline discipline) {
        super(new MailboxWriter(window, SharedMailboxLayout.SLOTS_OFFSET), arena, arenaBytes, 0, byReference);
        this.places = places;
        this.discipline = discipline;
        this.window = window;
        this.claims = new ClaimView(window);
        this.asymmetric = asymmetric;
    }

    /** A worker is about to start in this place. */
    void starts(int lane) {
        claims.liveVolatile(lane);
    }

    /** The lanes of the workers that serve from now on. */
    void servedBy(Lane[] serving) {
        lanes = serving;
    }

    /**
     * Whether one more call would find room now; a hint. No more calls than slots are open at a time: a worker that has
     * taken all of them has room for their results, and does not wait until somebody drains them.
     */
    boolean hasRoom() {
        return outstanding() < SlotLayout.SLOTS && isOpen() && isSlotFree(nextTicket());
    }

    /** Hands a call to the workers. Any thread. */
    Offer offerIfRoom(HostCall<?> call) {
        if (outstanding() >= SlotLayout.SLOTS) {
            return Offer.FULL;
        }
        return isOpen() ? offer(call) : Offer.CLOSED;
    }

    @Override
    boolean isSlotFree(long ticket) {
        long before = ticket - SlotLayout.SLOTS;
        if (before < 0) {
            return true;
        }
        if (!tickets.isPublished(before)) {
            return false; // its producer is between ticket and publication
        }
        boolean answered = before > lastVoid && find(before) == null;
        return answered || ClaimWord.isClaimed(claims.claimAcquire(before), before);
    }

    @Override
    boolean tryPassOver(long ticket) {
        if (tickets.tryTake(ticket)) {
            taken(ticket);
            publishVoid(ticket, true);
            tickets.published(ticket);
        }
        return true;
    }

    @Override
    void taken(long ticket) {
        long before = ticket - SlotLayout.SLOTS;
        if (before >= 0 && find(before) != null) {
            long word = claims.claimAcquire(before); // free: its claim is the last one until this ticket is published
            noted.setRelease((int) before & (TABLE - 1), ClaimWord.claimant(word));
        }
    }

    @Override
    void voiding(long ticket) {
        synchronized (this) { // rare
            lastVoid = Math.max(lastVoid, ticket);
        }
    }

    /** A void message waits for an answer of nobody, but its slot is free only when a worker has passed it. */
    @Override
    void voided(long ticket) {
        ringAll();
    }

    /**
     * Wakes a worker if those awake are not enough for the calls that are open: each of them may be running one. An awake
     * one that is not looks at the mailbox before it sleeps. If the one that was to be woken has been rung by somebody
     * else meanwhile, another one is.
     */
    @Override
    void ring() {
        BellFence.publisher(asymmetric); // published -> look at the bells
        Lane[] serving = lanes;
        for (int attempt = 0; attempt < serving.length; attempt++) {
            Lane sleeper = sleeperIfNeeded(serving);
            if (sleeper == null || sleeper.tryRingWorker()) {
                return;
            }
        }
    }

    private @Nullable Lane sleeperIfNeeded(Lane[] serving) {
        int awake = 0;
        Lane sleeper = null;
        int first = cursor;
        for (int i = 0; i < serving.length; i++) {
            int seat = (first + i) % serving.length;
            Lane lane = serving[seat];
            if (!lane.isOpen()) {
                continue; // it has ended, or is about to
            }
            if (!lane.isWorkerAsleep()) {
                awake++;
            } else if (sleeper == null) {
                sleeper = lane;
                cursor = seat;
            }
        }
        return outstanding() > awake ? sleeper : null;
    }

    /** Wakes every worker that sleeps, if a call waits: whoever was to serve it may have ended, or be held up. */
    void ringAll() {
        BellFence.publisher(asymmetric);
        for (Lane lane : lanes) {
            lane.tryRingWorker();
        }
    }

    /** Who has claimed an open call: a lane's number, or -1 for nobody yet. */
    int claimantOf(HostCall<?> call) {
        long ticket = call.ticket;
        long word = claims.claimAcquire(ticket);
        if (!ClaimWord.isClaimed(word, ticket)) {
            return -1;
        }
        return (ClaimWord.isLast(word, ticket)
                        ? ClaimWord.claimant(word)
                        : noted.getAcquire((int) ticket & (TABLE - 1)))
                - 1;
    }

    /** Takes out the open calls that a worker has claimed. It has ended, and its results were taken. */
    List<HostCall<?>> takeClaimedBy(int lane) {
        claims.endedVolatile(lane);
        List<HostCall<?>> taken = new ArrayList<>();
        for (HostCall<?> call : open()) {
            if (claimantOf(call) == lane && remove(call.ticket) == call) {
                taken.add(call);
            }
        }
        addSettledAtomic(taken.size());
        return taken;
    }

    /**
     * After {@link #close}: claims what no worker has claimed, and takes it out, waiting for producers that are between
     * ticket and publication. One thread at a time; workers may go on claiming. Under DEKKER a worker that is stopped in
     * the midst of a claim keeps what it is at: it is there for the next time, when the worker has ended.
     */
    List<HostCall<?>> takeUnclaimed() {
        List<HostCall<?>> taken = new ArrayList<>();
        long end = nextTicket();
        for (long ticket = Math.max(0, end - SlotLayout.SLOTS); ticket < end; ticket++) {
            tickets.awaitPublished(ticket);
        }
        claims.liveVolatile(DekkerReader.HOST);
        ClaimReader reader = switch (discipline) {
            case TICKET -> new TicketReader(window, 0);
            case DEKKER -> new DekkerReader(window, DekkerReader.HOST, places);
        };
        for (int vain = 0; vain < MOST_VAIN_CLAIMS && !reader.isEmpty(); vain++) {
            long callId = reader.callIdPlain(reader.slot());
            if (reader.tryClaim()) {
                vain = 0;
                HostCall<?> call = remove(callId);
                if (call != null) {
                    taken.add(call);
                }
            }
        }
        addSettledAtomic(taken.size());
        return taken;
    }

    /** The calls that are not answered, in the order of their tickets. A snapshot. */
    List<HostCall<?>> open() {
        List<HostCall<?>> open = new ArrayList<>();
        long end = nextTicket();
        for (long ticket = Math.max(0, end - TABLE); ticket < end; ticket++) {
            HostCall<?> call = inPlaceOf(ticket);
            if (call != null) {
                open.add(call);
            }
        }
        open.sort((a, b) -> Long.compare(a.ticket, b.ticket));
        return open;
    }
}

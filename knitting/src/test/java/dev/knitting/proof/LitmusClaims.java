package dev.knitting.proof;

import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.ClaimView;
import dev.knitting.mailbox.ClaimWord;
import dev.knitting.mailbox.DekkerReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.TicketReader;
import dev.knitting.memory.BufferWords;
import java.nio.ByteBuffer;

/** Two workers, one in each process, and one call a round, which each tries to claim until it is claimed. */
final class LitmusClaims implements Litmus.Actor {
    private static final int WORKERS = 2;
    /** So many calls are published before it is their turn: their lines are with both sides then. */
    private static final int AHEAD = 32;

    private final Litmus litmus;
    private final ByteBuffer window;
    private final int worker;
    private final MailboxWriter writer;
    private final ClaimView claims;
    private final ClaimReader reader;
    /** Keeps the compiler from leaving a look out. */
    private long seen;

    LitmusClaims(LitmusArea area, int side, Litmus litmus) {
        this.litmus = litmus;
        this.window = area.shared;
        this.worker = side;
        this.writer = new MailboxWriter(window, SharedMailboxLayout.SLOTS_OFFSET);
        this.claims = new ClaimView(window);
        this.reader = litmus == Litmus.DEKKER || litmus == Litmus.DEKKER_NO_FENCE
                ? new DekkerReader(window, side, WORKERS)
                : new TicketReader(window, side + 1);
        if (side == Litmus.HOST) {
            for (int ticket = 0; ticket < AHEAD; ticket++) {
                publish(ticket);
            }
        }
    }

    private void publish(long ticket) {
        writer.publishWord(ticket, ticket, 0, ticket);
    }

    @Override
    public void prepare() {
        reader.ready(8);
        seen += otherWants();
    }

    @Override
    public int round(long round) {
        int claimed = 0;
        while (!reader.isEmpty()) {
            long at = reader.position();
            if (at > round) {
                break; // the turn of the rest comes
            }
            long id = reader.callIdPlain(reader.slot()); // as WorkerLoop.serve: words first
            if (tryClaim(at)) {
                claimed = claimed == 0 && id == at ? Litmus.SEEN : Litmus.TORN;
            } else {
                giveWay();
            }
        }
        if (worker == Litmus.HOST) {
            publish(round + AHEAD);
        }
        return claimed;
    }

    /** A junior that wants again at once keeps its senior waiting for long. */
    private static void giveWay() {
        for (int i = 0; i < 20; i++) {
            Thread.onSpinWait();
        }
    }

    private boolean tryClaim(long at) {
        return switch (litmus) {
            case TICKET_LOAD_AND_STORE -> {
                reader.advance();
                yield storeIfUnclaimed(at);
            }
            case DEKKER_NO_FENCE -> claimWithoutFence(at);
            default -> reader.tryClaim();
        };
    }

    private boolean storeIfUnclaimed(long at) {
        if (ClaimWord.isClaimed(claims.claimAcquire(at), at)) {
            return false;
        }
        BufferWords.setLongRelease(window, LitmusArea.claimOffset(at), ClaimWord.claimed(at, worker + 1));
        return true;
    }

    /** {@link DekkerReader#tryClaim} of two, but for the fence. */
    private boolean claimWithoutFence(long at) {
        int want = (int) (at & SlotLayout.SLOT_MASK) / 8 + 1;
        BufferWords.setIntRelease(window, LitmusArea.wantOffset(worker), want);
        boolean isAlone = worker == 1 ? otherWants() != want : isLeft(want);
        boolean claimed = false;
        if (isAlone) {
            reader.advance();
            claimed = storeIfUnclaimed(at);
        }
        BufferWords.setIntRelease(window, LitmusArea.wantOffset(worker), 0);
        return claimed;
    }

    private boolean isLeft(int want) {
        for (int spins = 0; spins < 1_000; spins++) {
            if (otherWants() != want) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private int otherWants() {
        return BufferWords.getIntAcquire(window, LitmusArea.wantOffset(1 - worker));
    }
}

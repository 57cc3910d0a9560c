package dev.knitting.host;

import dev.knitting.codec.PayloadArena;
import dev.knitting.doorbell.Bell;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The host's end of a worker's own submit mailbox: what was entered is known from results, or from the worker's word. */
final class PrivateMailbox extends SubmitMailbox {
    private static final VarHandle RETIRED_SEEN;

    static {
        try {
            RETIRED_SEEN = MethodHandles.lookup().findVarHandle(PrivateMailbox.class, "retiredSeen", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LaneView view;
    private final Bell workerBell;
    /** Last seen {@code retired}: stale values hide free slots and never invent them. Any producer refreshes it. */
    private volatile long retiredSeen;

    PrivateMailbox(LaneView view, PayloadArena arena, long arenaBytes, Bell workerBell, boolean byReference) {
        super(
                new MailboxWriter(view.window(), LaneLayout.SUBMIT_OFFSET),
                arena,
                arenaBytes,
                view.preparedSubmitStart(),
                byReference);
        this.view = view;
        this.workerBell = workerBell;
        this.retiredSeen = view.preparedSubmitStart();
    }

    /** Whether the slot's previous call was entered: known from its result, or else from the worker's word. */
    @Override
    boolean isSlotFree(long ticket) {
        return ticket - retiredSeen < SlotLayout.SLOTS || isFreeByNow(ticket);
    }

    private boolean isFreeByNow(long ticket) {
        long entered = settled(); // first answers come in order: that many calls were entered at least
        if (ticket - entered >= SlotLayout.SLOTS) {
            entered = view.retiredAcquire();
        }
        RETIRED_SEEN.setOpaque(this, entered); // a hint: staleness hides free slots and never invents them
        return ticket - entered < SlotLayout.SLOTS;
    }

    @Override
    boolean tryPassOver(long ticket) {
        return false; // the worker runs one call after another: it must end first
    }

    @Override
    void taken(long ticket) {}

    @Override
    void voiding(long ticket) {}

    @Override
    void voided(long ticket) {}

    @Override
    void ring() {
        workerBell.published();
    }
}

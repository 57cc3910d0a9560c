package dev.knitting.lincheck;

import dev.knitting.mailbox.ClaimReader;
import dev.knitting.mailbox.ClaimView;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.TicketReader;
import dev.knitting.memory.BufferWords;
import java.nio.ByteBuffer;

/** A shared mailbox with one producer and two workers: the library's classes over words on the heap. */
abstract class SharedBox {
    static final ByteBuffer WINDOW = ByteBuffer.allocate((int) SharedMailboxLayout.ARENA_OFFSET);

    final ClaimView claims;
    private final MailboxWriter writer;
    private final TicketReader first;
    private final TicketReader second;
    private long next;

    SharedBox() {
        BufferWords.reset(WINDOW.capacity());
        writer = new MailboxWriter(WINDOW, SharedMailboxLayout.SLOTS_OFFSET);
        claims = new ClaimView(WINDOW);
        first = new TicketReader(WINDOW, 1);
        second = new TicketReader(WINDOW, 2);
    }

    /** One thread at a time. Calls are numbered from 1. */
    final void publishNext() {
        writer.publishWord(next, next + 1, 0, next);
        next++;
    }

    /** The call that a worker claims, or 0 if there is none. One thread of each worker at a time. */
    final long take(int worker) {
        ClaimReader reader = worker == 0 ? first : second;
        while (!reader.isEmpty()) {
            long callId = reader.callIdPlain(reader.slot());
            if (tryClaim(reader)) {
                return callId;
            }
        }
        return 0;
    }

    abstract boolean tryClaim(ClaimReader reader);
}

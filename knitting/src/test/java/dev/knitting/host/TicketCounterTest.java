package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

final class TicketCounterTest {
    private static final int OPEN = 256;
    private static final int TICKETS = 200_000;

    @Test
    void tryTake_alone_countsUpAndRefusesOtherTickets() {
        TicketCounter counter = new TicketCounter(7, OPEN);
        for (long ticket = 7; ticket < 7 + 3 * OPEN; ticket++) {
            assertThat(counter.next()).isEqualTo(ticket);
            assertThat(counter.tryTake(ticket - 1)).isFalse();
            assertThat(counter.tryTake(ticket)).isTrue();
            counter.published(ticket);
        }
    }

    @Test
    void tryTake_afterClose_refusesAndKeepsTheCount() {
        TicketCounter counter = new TicketCounter(5, OPEN);
        assertThat(counter.tryTake(5)).isTrue();
        counter.close();
        assertThat(counter.isClosed()).isTrue();
        assertThat(counter.next()).isEqualTo(6);
        assertThat(counter.tryTake(6)).isFalse();
    }

    @Test
    void tryTake_twoThreadsThenClosed_everyTicketOnceAndWritten() throws Exception {
        TicketCounter counter = new TicketCounter(0, OPEN);
        AtomicIntegerArray taken = new AtomicIntegerArray(TICKETS + 2);
        long[] slots = new long[OPEN];
        Runnable take = () -> {
            long ticket;
            while (!counter.isClosed() && (ticket = counter.next()) < TICKETS) {
                if (counter.tryTake(ticket)) {
                    taken.incrementAndGet((int) ticket);
                    slots[(int) ticket % OPEN] = ticket + 1;
                    counter.published(ticket);
                }
            }
        };
        Thread first = new Thread(take, "first");
        Thread second = new Thread(take, "second");
        first.start();
        second.start();
        while (counter.next() < TICKETS / 2) {
            Thread.yield();
        }
        counter.close();
        long end = counter.next();
        counter.awaitPublished(end - 1);
        assertThat(slots[(int) (end - 1) % OPEN]).isEqualTo(end); // read after the edge [written]
        first.join();
        second.join();
        assertThat(counter.next()).isEqualTo(end);
        for (int ticket = 0; ticket < TICKETS; ticket++) {
            assertThat(taken.get(ticket)).as("ticket %d", ticket).isEqualTo(ticket < end ? 1 : 0);
        }
    }
}

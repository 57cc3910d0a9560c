package dev.knitting.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that share a submit mailbox: the test plays the host, whose tickets it hands out itself. */
class ClaimReaderTest {
    private static final int WORKERS = 4;

    /** How workers share. */
    enum Way {
        TICKET,
        DEKKER;

        ClaimReader reader(ByteBuffer window, int worker) {
            return this == TICKET ? new TicketReader(window, worker + 1) : new DekkerReader(window, worker, WORKERS);
        }
    }

    private final ByteBuffer window = Arena.ofAuto()
            .allocate(SharedMailboxLayout.ARENA_OFFSET, 4096)
            .asByteBuffer()
            .order(ByteOrder.nativeOrder());
    private final MailboxWriter writer = new MailboxWriter(window, SharedMailboxLayout.SLOTS_OFFSET);
    private final ClaimView claims = new ClaimView(window);

    ClaimReaderTest() {
        for (int worker = 0; worker < WORKERS; worker++) {
            claims.liveVolatile(worker);
        }
    }

    private void publish(long ticket) {
        writer.publishWord(ticket, ticket, SlotMeta.pack(0, (byte) 0, 0, 0), ticket * 7);
    }

    private static long callId(ClaimReader reader) {
        return reader.callIdPlain(reader.slot());
    }

    @Test
    void layout_offsets_areThoseOfTheStruct() {
        assertThat(SharedMailboxLayout.LAYOUT.byteSize()).isEqualTo(SharedMailboxLayout.SLOTS_OFFSET);
        assertThat(offset("claims")).isEqualTo(SharedMailboxLayout.CLAIMS_OFFSET);
        assertThat(offset("wants")).isEqualTo(SharedMailboxLayout.WANTS_OFFSET);
        assertThat(offset("live")).isEqualTo(SharedMailboxLayout.LIVE_OFFSET);
    }

    private static long offset(String name) {
        return SharedMailboxLayout.LAYOUT.byteOffset(java.lang.foreign.MemoryLayout.PathElement.groupElement(name));
    }

    @ParameterizedTest
    @EnumSource
    void tryClaim_twoWorkers_eachCallOnceInOrder(Way way) {
        ClaimReader a = way.reader(window, 0);
        ClaimReader b = way.reader(window, 1);
        publish(0);
        publish(1);
        assertThat(a.ready(8)).isEqualTo(2);
        assertThat(b.ready(8)).isEqualTo(2);
        assertThat(callId(a)).isZero();
        assertThat(callId(b)).isZero();
        assertThat(b.tryClaim()).isTrue();
        assertThat(a.tryClaim()).as("b has it").isFalse();
        assertThat(a.isEmpty()).isFalse();
        assertThat(callId(a)).isEqualTo(1);
        assertThat(a.tryClaim()).isTrue();
        assertThat(a.isEmpty()).isTrue();
        assertThat(b.isEmpty()).isTrue();
        assertThat(ClaimWord.claimant(claims.claimAcquire(0))).isEqualTo(2);
        assertThat(ClaimWord.claimant(claims.claimAcquire(1))).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void isEmpty_sleptThroughManyLaps_findsTheOldestThatIsLeft(Way way) {
        ClaimReader busy = way.reader(window, 0);
        ClaimReader asleep = way.reader(window, 1);
        for (long ticket = 0; ticket < 1_000_003; ticket++) {
            publish(ticket);
            assertThat(busy.isEmpty()).isFalse();
            assertThat(busy.tryClaim()).isTrue();
        }
        assertThat(asleep.isEmpty()).isTrue();
        publish(1_000_003);
        publish(1_000_004);
        assertThat(asleep.isEmpty()).isFalse();
        assertThat(callId(asleep)).isEqualTo(1_000_003);
        assertThat(asleep.tryClaim()).isTrue();
        assertThat(busy.isEmpty()).isFalse();
        assertThat(callId(busy)).isEqualTo(1_000_004);
    }

    @ParameterizedTest
    @EnumSource
    void isEmpty_garbage_ends(Way way) {
        ClaimReader reader = way.reader(window, 0);
        java.util.Random random = new java.util.Random(7);
        for (int round = 0; round < 200; round++) {
            for (int slot = 0; slot < SlotLayout.SLOTS; slot++) {
                long at = SharedMailboxLayout.SLOTS_OFFSET + slot * SlotLayout.SLOT_STRIDE_BYTES;
                window.putLong((int) at, random.nextLong());
                window.putLong(slot * 64, random.nextLong());
            }
            for (int i = 0; i < 100 && !reader.isEmpty(); i++) {
                reader.tryClaim();
            }
            assertThat(reader.ready(8)).isBetween(0, 8);
        }
    }

    @Test
    void tryClaim_seniorWantsTheSameRegion_givesWay() {
        DekkerReader junior = new DekkerReader(window, 2, WORKERS);
        publish(0);
        assertThat(junior.isEmpty()).isFalse();
        claims.wantRelease(1, 1); // stopped in the midst of a claim
        assertThat(junior.tryClaim()).isFalse();
        assertThat(junior.isEmpty()).as("the call is not lost").isFalse();
        claims.wantRelease(1, 5);
        assertThat(junior.tryClaim()).as("the senior wants another region").isTrue();
    }

    @Test
    void tryClaim_wantOfOneThatHasEnded_countsNoMore() {
        DekkerReader senior = new DekkerReader(window, 0, WORKERS);
        publish(0);
        assertThat(senior.isEmpty()).isFalse();
        claims.wantRelease(3, 1);
        assertThat(senior.tryClaim()).as("gives up after a while").isFalse();
        claims.endedVolatile(3);
        assertThat(senior.tryClaim()).isTrue();
        publish(1);
        claims.liveVolatile(3);
        assertThat(senior.isEmpty()).isFalse();
        assertThat(senior.tryClaim()).as("its successor wants nothing yet").isTrue();
    }

    /** Each call is claimed by exactly one of four, and the words that it read are the call's. */
    @ParameterizedTest
    @EnumSource
    void tryClaim_fourWorkers_eachOfManyCallsOnce(Way way) throws Exception {
        int calls = 100_000;
        AtomicIntegerArray taken = new AtomicIntegerArray(calls);
        AtomicLong left = new AtomicLong(calls);
        List<CompletableFuture<Long>> workers = new ArrayList<>();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (int worker = 0; worker < WORKERS; worker++) {
            ClaimReader reader = way.reader(window, worker);
            CompletableFuture<Long> end = new CompletableFuture<>();
            workers.add(end);
            Thread.ofPlatform().daemon().start(() -> {
                long mine = 0;
                try {
                    while (left.get() > 0 && System.nanoTime() - until < 0) {
                        int ready = reader.ready(8);
                        if (ready == 0) {
                            Thread.onSpinWait();
                        }
                        for (int i = 0; i < ready; i++) {
                            long slot = reader.slot();
                            long id = reader.callIdPlain(slot);
                            long word = reader.wordPlain(slot, 0);
                            if (reader.tryClaim()) {
                                if (word != id * 7) {
                                    throw new AssertionError("torn: " + id + " " + word);
                                }
                                taken.incrementAndGet((int) id);
                                left.decrementAndGet();
                                mine++;
                            }
                        }
                    }
                    end.complete(mine);
                } catch (Throwable e) {
                    end.completeExceptionally(e);
                }
            });
        }
        for (long ticket = 0; ticket < calls; ticket++) {
            while (ticket >= SlotLayout.SLOTS
                    && !ClaimWord.isClaimed(
                            claims.claimAcquire(ticket - SlotLayout.SLOTS), ticket - SlotLayout.SLOTS)) {
                if (System.nanoTime() - until > 0) {
                    throw new AssertionError("stuck at " + ticket);
                }
                Thread.onSpinWait();
            }
            publish(ticket);
        }
        for (CompletableFuture<Long> each : workers) {
            each.get(70, TimeUnit.SECONDS);
        }
        for (int i = 0; i < calls; i++) {
            assertThat(taken.get(i)).as("call %d", i).isEqualTo(1);
        }
    }
}

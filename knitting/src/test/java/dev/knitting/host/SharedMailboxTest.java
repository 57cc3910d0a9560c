package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Discipline;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.codec.PayloadArena;
import dev.knitting.doorbell.Bell;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SharedMailboxLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.mailbox.TicketReader;
import dev.knitting.memory.SharedSegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The host's end of a shared mailbox and two lanes; both workers are played by the test. */
class SharedMailboxTest {
    private static final int ARENA = 1 << 20;
    private static final int CAP = ARENA - (int) PayloadArena.PREFIX_BYTES;

    private final PoolOptions options = Pool.threads(2).copyArguments(true).options();
    private final AtomicInteger announced = new AtomicInteger();
    private final TaskCatalog catalog = new TaskCatalog(options, false, description -> announced.getAndIncrement());
    private final Completion completion = new Completion("shared-test", 0, 1_000_000, false, null);

    private final long stride = LaneLayout.strideBytes(ARENA);
    private final SharedSegment segment =
            SharedSegment.create(Memory.PORTABLE, 2 * stride + SharedMailboxLayout.bytes(ARENA), null);
    private final ByteBuffer window = segment.window(2 * stride, (int) SharedMailboxLayout.ARENA_OFFSET);
    private final SharedMailbox mailbox = new SharedMailbox(
            window,
            new PayloadArena(segment, 2 * stride + SharedMailboxLayout.ARENA_OFFSET, ARENA),
            ARENA,
            false,
            false,
            2,
            Discipline.TICKET);
    private final int[] rings = new int[2];
    private final Lane[] lanes = {lane(0), lane(1)};
    private final TicketReader[] workers = {new TicketReader(window, 1), new TicketReader(window, 2)};
    private final MailboxWriter[] results = {results(0), results(1)};
    private final long[] answered = new long[2];

    SharedMailboxTest() {
        mailbox.servedBy(lanes);
        mailbox.starts(0);
        mailbox.starts(1);
    }

    private Lane lane(int index) {
        LaneView view = new LaneView(segment.memory(), index * stride);
        view.resetForIncarnation(1, 0, 0);
        Bell bell = new Bell(segment.memory(), view.workerBellOffset(), () -> rings[index]++, false);
        return new Lane(index, segment, view, bell, ARENA, CAP, false, mailbox);
    }

    private MailboxWriter results(int index) {
        return new MailboxWriter(segment.memory(), index * stride + LaneLayout.RETURN_OFFSET);
    }

    @AfterEach
    void close() {
        segment.close();
    }

    private HostCall<Long> inc(long value) {
        HostCall<Long> call = new HostCall<>(completion, catalog.entry(ContractTasks.INC), value, false);
        assertThat(mailbox.offerIfRoom(call)).isEqualTo(SubmitMailbox.Offer.ACCEPTED);
        return call;
    }

    /** The next call of a worker: claims it. */
    private long claim(int worker) {
        assertThat(workers[worker].isEmpty()).isFalse();
        long slot = workers[worker].slot();
        long id = workers[worker].callIdPlain(slot);
        assertThat(workers[worker].tryClaim()).isTrue();
        return id;
    }

    private void answer(int worker, long callId) {
        results[worker].publishWord(answered[worker]++, callId, SlotMeta.pack(0, (byte) 0, 0, 0), 0);
        lanes[worker].drain(true);
    }

    /** Tickets go round and round while one call runs: it keeps its place, and is known to be the claimant's. */
    @Test
    void offer_oneCallRunsForLong_othersPassForManyLaps() {
        HostCall<Long> longOne = inc(0);
        assertThat(claim(1)).isEqualTo(longOne.ticket);
        for (int i = 0; i < 2_000; i++) {
            HostCall<Long> call = inc(i);
            while (!workers[0].isEmpty()) {
                long slot = workers[0].slot();
                boolean isVoid = (SlotMeta.flags(workers[0].metaPlain(slot)) & SlotMeta.FLAG_VOID) != 0;
                long id = workers[0].callIdPlain(slot);
                assertThat(workers[0].tryClaim()).isTrue();
                if (!isVoid) {
                    assertThat(id).isEqualTo(call.ticket);
                    answer(0, id);
                }
            }
            assertThat(call.hasArrived()).isTrue();
            assertThat(mailbox.outstanding()).isEqualTo(1);
            assertThat(mailbox.claimantOf(longOne)).isEqualTo(1);
        }
        assertThat(lanes[1].holds(longOne)).isTrue();
        assertThat(lanes[0].holds(longOne)).isFalse();
        answer(1, longOne.ticket);
        assertThat(longOne.hasArrived()).isTrue();
        assertThat(mailbox.outstanding()).isZero();
    }

    @Test
    void offer_asManyOpenAsSlots_isFullUntilOneIsAnswered() {
        for (int i = 0; i < SlotLayout.SLOTS; i++) {
            inc(i);
        }
        HostCall<Long> over = new HostCall<>(completion, catalog.entry(ContractTasks.INC), 1L, false);
        assertThat(mailbox.offerIfRoom(over)).isEqualTo(SubmitMailbox.Offer.FULL);
        long id = claim(0);
        assertThat(mailbox.hasRoom()).as("claimed, but not answered").isFalse();
        answer(0, id);
        assertThat(mailbox.hasRoom()).isTrue();
        assertThat(mailbox.offerIfRoom(over)).isEqualTo(SubmitMailbox.Offer.ACCEPTED);
    }

    /** A worker ends: what it had claimed is its, and nothing else; the others' calls stay where they are. */
    @Test
    void takeClaimedBy_oneOfTwoEnds_takesJustWhatItHadClaimed() {
        List<HostCall<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(inc(i));
        }
        claim(0);
        claim(1);
        claim(1);
        answer(1, calls.get(1).ticket);
        List<HostCall<?>> left = lanes[1].takeUnfinished();
        assertThat(left).hasSize(1);
        assertThat(left.getFirst()).isSameAs(calls.get(2));
        assertThat(lanes[1].hadEntered(left.getFirst())).isTrue();
        assertThat(lanes[0].holds(calls.get(0))).isTrue();
        assertThat(claim(0)).isEqualTo(calls.get(3).ticket);
        assertThat(mailbox.outstanding()).isEqualTo(4);
    }

    @Test
    void takeUnclaimed_closed_leavesWhatWorkersHave() {
        List<HostCall<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            calls.add(inc(i));
        }
        claim(0);
        mailbox.close();
        List<HostCall<?>> left = mailbox.takeUnclaimed();
        assertThat(left).hasSize(4);
        assertThat(workers[0].isEmpty()).isTrue();
        answer(0, calls.getFirst().ticket);
        assertThat(mailbox.outstanding()).isZero();
        mailbox.reopen();
        HostCall<Long> later = inc(9);
        assertThat(claim(1)).isEqualTo(later.ticket);
    }

    /** One awake worker is enough for one call; for a second one a sleeping one is woken. */
    @Test
    void ring_oneAsleep_isWokenForTheSecondCallOnly() {
        dev.knitting.mailbox.BellWord.armVolatile(
                segment.memory(), lanes[1].view().workerBellOffset());
        inc(1);
        assertThat(rings).containsExactly(0, 0);
        inc(2);
        assertThat(rings).containsExactly(0, 1);
        inc(3);
        assertThat(rings).as("it is awake now").containsExactly(0, 1);
    }

    @Test
    void ring_theAwakeOneHasEnded_wakesTheOther() {
        dev.knitting.mailbox.BellWord.armVolatile(
                segment.memory(), lanes[1].view().workerBellOffset());
        lanes[0].close();
        inc(1);
        assertThat(rings).containsExactly(0, 1);
    }
}

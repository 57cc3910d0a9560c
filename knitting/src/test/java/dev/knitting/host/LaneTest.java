package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Ended;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import dev.knitting.TaskFailedException;
import dev.knitting.WorkerEnd;
import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadArena;
import dev.knitting.codec.PayloadTag;
import dev.knitting.doorbell.Bell;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The host's end of a lane; the worker's end is played by the test, which reads and writes the mailboxes as it likes. */
class LaneTest {
    private static final int ARENA = 1 << 20;
    private static final int CAP = ARENA - (int) PayloadArena.PREFIX_BYTES;

    private final PoolOptions options = Pool.threads(1)
            .copyArguments(true)
            .payload(payload -> payload.ceilingBytes(ARENA).maxBytes(CAP))
            .options();
    private final AtomicInteger announced = new AtomicInteger();
    private final TaskCatalog catalog = new TaskCatalog(options, false, description -> announced.getAndIncrement());
    private final Completion completion = new Completion("lane-test", 0, 1_000_000, false, null);

    private final SharedSegment segment = SharedSegment.create(Memory.PORTABLE, LaneLayout.strideBytes(ARENA), null);
    private final MemorySegment memory = segment.memory();
    private final LaneView view = new LaneView(memory, 0);
    private final AtomicInteger rings = new AtomicInteger();
    private final Lane lane;

    /** The worker's end. */
    private final MailboxReader calls = new MailboxReader(memory, LaneLayout.SUBMIT_OFFSET, 0);

    private final MailboxWriter results = new MailboxWriter(memory, LaneLayout.RETURN_OFFSET);
    private final PayloadArena returnArena = new PayloadArena(segment, LaneLayout.ARENAS_OFFSET + ARENA, ARENA);
    private long nextResult;

    LaneTest() {
        view.resetForIncarnation(1, 0, 0);
        Bell bell = new Bell(memory, view.workerBellOffset(), rings::incrementAndGet, false);
        lane = new Lane(0, segment, view, bell, ARENA, CAP, false);
    }

    @AfterEach
    void close() {
        segment.close();
    }

    // ---- both sides

    private <A, R> HostCall<R> call(Task<A, R> task, A argument) {
        return new HostCall<>(completion, catalog.entry(task), argument, false);
    }

    private HostCall<Long> inc(long value) {
        return call(ContractTasks.INC, value);
    }

    private <R> HostCall<R> offered(HostCall<R> call) {
        assertThat(lane.offer(call)).isEqualTo(SubmitMailbox.Offer.ACCEPTED);
        return call;
    }

    /** The worker takes the next call and so enters it; its id. */
    private long enter() {
        assertThat(calls.isEmpty())
                .as("no call at position %d", calls.position())
                .isFalse();
        long id = calls.callIdPlain(calls.slot());
        calls.advance();
        view.retiredRelease(calls.position());
        return id;
    }

    private void publish(long callId, byte tag, int flags, int length, long word0, long word1) {
        results.publish(
                nextResult++,
                callId,
                SlotMeta.pack(SlotMeta.took(0), tag, flags, length),
                word0,
                word1,
                0,
                0,
                null,
                0,
                0);
    }

    private void answer(long callId, long value) {
        publish(callId, PayloadTag.LONG, 0, 0, value, 0);
    }

    /** Drains and settles everything that has arrived. */
    private void drain() {
        HostCall<?> call = lane.drain(true);
        while (call != null) {
            HostCall<?> next = call.nextDrained;
            settle(call);
            call = next;
        }
    }

    /** A worker that answers quickly is fed ahead; a lane starts cautiously. */
    private void warmUp() {
        List<HostCall<Long>> open = new ArrayList<>();
        for (int round = 0; round < 100_000; round++) {
            HostCall<Long> call = inc(round);
            if (lane.offer(call) == SubmitMailbox.Offer.ACCEPTED) {
                open.add(call);
                if (open.size() >= 40) {
                    break;
                }
            } else {
                for (HostCall<Long> ready : open) {
                    answer(enter(), 0);
                }
                open.clear();
                drain();
            }
        }
        assertThat(open).as("the lane takes many calls ahead").hasSizeGreaterThanOrEqualTo(40);
        open.forEach(call -> answer(enter(), 0));
        drain();
        assertThat(lane.outstanding()).isZero();
    }

    private static void assertCorrupt(HostCall<?> call) {
        assertThat(call).isCompletedExceptionally();
        assertThat(call.exceptionNow())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_PEER));
    }

    private void assertLaneServes() {
        HostCall<Long> call = offered(inc(1));
        answer(enter(), 4711);
        drain();
        assertThat(call.resultNow()).isEqualTo(4711);
        assertThat(lane.outstanding()).isZero();
    }

    // ---- results

    @Test
    void drain_resultsOutOfOrder_eachSettlesItsOwnCall() {
        warmUp();
        List<HostCall<Long>> open = new ArrayList<>();
        for (long i = 0; i < 20; i++) {
            open.add(offered(inc(i)));
        }
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ids.add(enter());
        }
        for (int i = 19; i >= 0; i--) {
            answer(ids.get(i), 100 + i);
        }
        drain();
        for (int i = 0; i < 20; i++) {
            assertThat(open.get(i).resultNow()).isEqualTo(100 + i);
        }
    }

    /** B04. */
    @Test
    void drain_idThatNeverExisted_settlesNothing() {
        HostCall<Long> open = offered(inc(1));
        long id = enter();
        for (long forged : new long[] {id + 1, id + 256, id - 256, -1, Long.MIN_VALUE, Long.MAX_VALUE, id | 1L << 40}) {
            answer(forged, 666);
        }
        drain();
        assertThat(open.isDone()).isFalse();
        assertThat(lane.outstanding()).isEqualTo(1);
        answer(id, 2);
        drain();
        assertThat(open.resultNow()).isEqualTo(2);
        assertLaneServes();
    }

    /** B04: neither the settled call nor the later one that uses the same table entry. */
    @Test
    void drain_secondResultOfASettledCall_settlesNothing() {
        HostCall<Long> first = offered(inc(1));
        long id = enter();
        answer(id, 2);
        drain();
        for (int lap = 0; lap < 255; lap++) {
            offered(inc(lap));
            answer(enter(), 0);
            drain();
        }
        HostCall<Long> sameEntry = offered(inc(1));
        assertThat(sameEntry.ticket).isEqualTo(id + 256);
        answer(id, 666);
        drain();
        assertThat(first.resultNow()).isEqualTo(2);
        assertThat(sameEntry.isDone()).isFalse();
        answer(enter(), 3);
        drain();
        assertThat(sameEntry.resultNow()).isEqualTo(3);
    }

    /** B04. */
    @Test
    void drain_resultOfACancelledCall_isTakenAndDropped() {
        HostCall<Long> cancelled = offered(inc(1));
        cancelled.cancel(true);
        answer(enter(), 2);
        drain();
        assertThat(cancelled.isCancelled()).isTrue();
        assertThat(lane.outstanding()).isZero();
        assertLaneServes();
    }

    @Test
    void drain_voidResult_isSkipped() {
        HostCall<Long> open = offered(inc(1));
        long id = enter();
        results.publishVoid(nextResult++);
        answer(id, 5);
        drain();
        assertThat(open.resultNow()).isEqualTo(5);
    }

    // ---- forged results

    /** B06. */
    @Test
    void drain_unknownTag_failsThatCallAndKeepsTheOrder() {
        for (int tag = -128; tag < 128; tag++) {
            if (tag > 0 && tag <= PayloadTag.REFERENCE) {
                continue;
            }
            HostCall<Long> call = offered(inc(1));
            publish(enter(), (byte) tag, 0, 0, 1, 1);
            drain();
            assertCorrupt(call);
            assertLaneServes();
        }
    }

    @Test
    void drain_anyTagAndFlags_settlesTheCallAndThrowsNothing() {
        for (int tag = -128; tag < 128; tag++) {
            for (int flags = 0; flags < 64; flags++) {
                if ((flags & SlotMeta.FLAG_VOID) != 0) {
                    continue;
                }
                HostCall<Long> call = offered(inc(1));
                publish(enter(), (byte) tag, flags, flags * 20, tag, flags);
                drain();
                assertThat(call.isDone()).as("tag=%d, flags=%d", tag, flags).isTrue();
            }
        }
        assertLaneServes();
    }

    @Test
    void drain_inlineLengthOutOfRange_failsThatCall() {
        for (int length : new int[] {0, 513, 576, 65_535}) {
            HostCall<String> call = offered(call(ContractTasks.ECHO_TEXT, "x"));
            publish(enter(), PayloadTag.STRING_LATIN1, SlotMeta.FLAG_INLINE, length, 0, 0);
            drain();
            assertCorrupt(call);
        }
        assertLaneServes();
    }

    @Test
    void drain_headerLengthOutOfRange_failsThatCall() {
        for (int length : new int[] {33, 512, 65_535}) {
            HostCall<String> call = offered(call(ContractTasks.ECHO_TEXT, "x"));
            publish(enter(), PayloadTag.STRING_LATIN1, 0, length, 0, 0);
            drain();
            assertCorrupt(call);
        }
        assertLaneServes();
    }

    @Test
    void drain_spanOutsideTheReturnArena_failsThatCall() {
        long start = LaneLayout.ARENAS_OFFSET + ARENA;
        long[][] spans = {
            {0, 8},
            {start - 64, 8},
            {start + 8, 8},
            {start + ARENA, 8},
            {start, ARENA},
            {start, 0},
            {start, -1},
            {start, Long.MIN_VALUE},
            {start, Long.MAX_VALUE},
            {-64, 8},
            {Long.MIN_VALUE, 8},
            {Long.MAX_VALUE & -64, 8},
            {LaneLayout.ARENAS_OFFSET, 8},
            {start + ARENA - 64, 1}
        };
        for (long[] span : spans) {
            HostCall<byte[]> call = offered(call(ContractTasks.ECHO_BYTES, new byte[1]));
            publish(enter(), PayloadTag.BYTES, SlotMeta.FLAG_ARENA, 0, span[0], span[1]);
            drain();
            assertCorrupt(call);
            assertThat(lane.heldSpans()).isZero();
        }
        assertLaneServes();
    }

    @Test
    void drain_referenceWhereValuesAreCopied_failsThatCall() {
        for (int flags : new int[] {SlotMeta.FLAG_REFERENCE, SlotMeta.FLAG_REFERENCE | SlotMeta.FLAG_FAILED}) {
            HostCall<Long> call = offered(inc(1));
            publish(enter(), PayloadTag.REFERENCE, flags, 0, 0, 0);
            drain();
            assertCorrupt(call);
        }
        assertLaneServes();
    }

    /** Its caller would meet a ClassCastException far from here. */
    @Test
    void drain_anotherTypeThanTheTaskReturns_failsThatCall() {
        byte[] tags = {PayloadTag.NULL, PayloadTag.INT, PayloadTag.DOUBLE, PayloadTag.TRUE, PayloadTag.UUID};
        for (byte tag : tags) {
            HostCall<Long> call = offered(inc(1));
            publish(enter(), tag, 0, 0, 1, 1);
            drain();
            assertCorrupt(call);
        }
        HostCall<String> text = offered(call(ContractTasks.ECHO_TEXT, "x"));
        publish(enter(), PayloadTag.NULL, 0, 0, 0, 0);
        drain();
        assertThat(text.resultNow()).as("a text may be null").isNull();
        assertLaneServes();
    }

    /** Else a worker could take any number of calls, and the mailbox would bound nothing. */
    @Test
    void drain_begunOfATaskThatIsNotAsync_isIgnored() {
        HostCall<Long> call = offered(inc(1));
        long id = enter();
        publish(id, (byte) 0, SlotMeta.FLAG_BEGUN, 0, 0, 0);
        drain();
        assertThat(lane.begunCount()).isZero();
        assertThat(lane.holds(call)).isTrue();
        answer(id, 2);
        drain();
        assertThat(call.resultNow()).isEqualTo(2);
    }

    /** Under a lock, before a kill and after a death: a peer that goes on publishing must not keep anybody there. */
    @Test
    void drainPublished_peerGoesOnPublishing_endsAllTheSame() {
        HostCall<Long> first = offered(inc(1));
        HostCall<Long> second = offered(inc(2));
        long firstId = enter();
        long secondId = enter();
        answer(firstId, 2);
        AtomicInteger lists = new AtomicInteger();
        lane.drainPublished(arrived -> {
            lists.incrementAndGet();
            settle(arrived);
            answer(secondId, 3);
        });
        assertThat(lists).hasValue(1);
        assertThat(first.resultNow()).isEqualTo(2);
        assertThat(second.isDone()).isFalse();
        drain();
        assertThat(second.resultNow()).isEqualTo(3);
    }

    /** The host knows itself where an incarnation started: a start behind it made recovery wait for ever. */
    @Test
    void takeUnfinished_startForged_takesEveryCallAndEnds() {
        for (int incarnation = 2; incarnation <= 5; incarnation++) {
            view.resetForIncarnation(incarnation, 1000L * incarnation, 7);
            Bell bell = new Bell(memory, view.workerBellOffset(), rings::incrementAndGet, false);
            Lane current = new Lane(0, segment, view, bell, ARENA, CAP, false);
            HostCall<Long> call = inc(1);
            assertThat(current.offer(call)).isEqualTo(SubmitMailbox.Offer.ACCEPTED);
            long forged = new long[] {0, 1000L * incarnation - 200, Long.MAX_VALUE, Long.MIN_VALUE}[incarnation - 2];
            memory.set(java.lang.foreign.ValueLayout.JAVA_LONG, 136, forged);
            assertThat(view.submitStartPlain()).as("the offset is right").isEqualTo(forged);
            current.close();
            assertThat(current.isTurnOf(call)).isTrue();
            assertThat(current.takeUnfinished()).isEqualTo(List.of(call));
        }
    }

    @Test
    void offer_retiredForged_losesNothingThatIsOpen() {
        warmUp();
        List<HostCall<Long>> open = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            HostCall<Long> call = inc(i);
            view.retiredRelease(i % 2 == 0 ? Long.MAX_VALUE : Long.MIN_VALUE);
            if (lane.offer(call) == SubmitMailbox.Offer.ACCEPTED) {
                open.add(call);
            }
        }
        assertThat(open).hasSizeLessThanOrEqualTo(SlotLayout.SLOTS);
        lane.close();
        assertThat(lane.takeUnfinished()).containsExactlyElementsOf(open);
    }

    // ---- full mailboxes

    @Test
    void offer_everySlotTaken_isFullAndLosesNothing() {
        warmUp();
        List<HostCall<Long>> open = new ArrayList<>();
        HostCall<Long> refused = null;
        for (int i = 0; i < 100 && refused == null; i++) {
            HostCall<Long> call = inc(i);
            switch (lane.offer(call)) {
                case ACCEPTED -> open.add(call);
                case FULL -> refused = call;
                default -> throw new AssertionError();
            }
        }
        assertThat(open).hasSizeLessThanOrEqualTo(SlotLayout.SLOTS);
        assertThat(refused).isNotNull();
        assertThat(refused.isDone()).isFalse();
        for (int i = 0; i < open.size(); i++) {
            answer(enter(), i);
        }
        drain();
        for (int i = 0; i < open.size(); i++) {
            assertThat(open.get(i).resultNow()).isEqualTo(i);
        }
        offered(refused);
        answer(enter(), 7);
        drain();
        assertThat(refused.resultNow()).isEqualTo(7);
    }

    @Test
    void offer_manyProducers_everyCallGetsItsOwnResult() throws Exception {
        int producers = 4;
        int each = 2_000;
        CountDownLatch stop = new CountDownLatch(1);
        CompletableFuture<Void> worker = background(() -> {
            while (stop.getCount() > 0) {
                if (calls.isEmpty()) {
                    Thread.yield();
                    continue;
                }
                long value = calls.wordPlain(calls.slot(), 0);
                long callId = enter();
                // As a worker does: producers that look at the same time may be a few calls ahead of the depth.
                while (nextResult - view.returnedAcquire() >= SlotLayout.SLOTS && stop.getCount() > 0) {
                    Thread.yield();
                }
                answer(callId, value + 1);
            }
        });
        CompletableFuture<Void> drainer = background(() -> {
            while (stop.getCount() > 0) {
                drain();
                Thread.yield();
            }
        });
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            long base = p * 1_000_000L;
            all.add(background(() -> {
                List<HostCall<Long>> mine = new ArrayList<>();
                for (long i = 0; i < each; i++) {
                    HostCall<Long> call = inc(base + i);
                    SubmitMailbox.Offer offer = lane.offer(call);
                    while (offer == SubmitMailbox.Offer.FULL) {
                        Thread.yield();
                        offer = lane.offer(call);
                    }
                    if (offer != SubmitMailbox.Offer.ACCEPTED) {
                        throw new AssertionError(offer);
                    }
                    mine.add(call);
                }
                for (int i = 0; i < each; i++) {
                    while (!mine.get(i).isDone()) {
                        Thread.yield();
                    }
                    if (mine.get(i).resultNow() != base + i + 1) {
                        throw new AssertionError(base + i + " -> " + mine.get(i).resultNow());
                    }
                }
            }));
        }
        try {
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        } finally {
            stop.countDown();
            CompletableFuture.allOf(worker, drainer).get(10, TimeUnit.SECONDS);
        }
        assertThat(lane.outstanding()).isZero();
    }

    /** As whoever drains does: a call of the draining thread's own is taken already. */
    private static void settle(HostCall<?> call) {
        if (call.isOwnedByDrainer()) {
            call.settleTaken();
        } else {
            call.settle();
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static CompletableFuture<Void> background(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    // ---- the end of a worker

    @Test
    void takeUnfinished_someEnteredSomeAnswered_areExactlyThoseNotTaken() {
        warmUp();
        List<HostCall<Long>> open = new ArrayList<>();
        for (long i = 0; i < 10; i++) {
            open.add(offered(inc(i)));
        }
        answer(enter(), 1);
        answer(enter(), 2);
        enter();
        enter();
        drain();
        lane.close();
        assertThat(lane.isOpen()).isFalse();
        assertThat(lane.offer(inc(99))).isEqualTo(SubmitMailbox.Offer.CLOSED);

        List<HostCall<?>> left = lane.takeUnfinished();

        assertThat(left).containsExactlyElementsOf(open.subList(2, 10));
        assertThat(left.stream().map(lane::wasEntered))
                .containsExactly(true, true, false, false, false, false, false, false);
        assertThat(lane.takeUnfinished()).isEmpty();
        assertThat(lane.outstanding()).isZero();
        assertThat(lane.nextTicket()).isEqualTo(open.get(9).ticket + 1);
        assertThat(lane.nextResult()).isEqualTo(nextResult);
    }

    @Test
    void takeUnfinished_aResultArrivesAfterwards_settlesNothing() {
        HostCall<Long> call = offered(inc(1));
        long id = enter();
        lane.close();
        assertThat(lane.takeUnfinished()).containsExactly(call);
        answer(id, 666);
        drain();
        assertThat(call.isDone()).isFalse();
    }

    /** A replacement goes on where the dead one stopped; leftovers in its slots are neither calls nor results to it. */
    @Test
    void newIncarnation_afterADeath_servesFromItsStart() {
        warmUp();
        for (int i = 0; i < 3; i++) {
            offered(inc(i));
        }
        answer(enter(), 1);
        lane.close();
        drain();
        lane.takeUnfinished();
        view.resetForIncarnation(2, lane.nextTicket(), lane.nextResult());
        Bell bell = new Bell(memory, view.workerBellOffset(), rings::incrementAndGet, false);
        Lane second = new Lane(0, segment, view, bell, ARENA, CAP, false);
        MailboxReader secondCalls = new MailboxReader(memory, LaneLayout.SUBMIT_OFFSET, view.submitStartPlain());
        assertThat(secondCalls.isEmpty()).isTrue();
        assertThat(second.hasResult()).isFalse();
        HostCall<Long> call = inc(5);
        assertThat(second.offer(call)).isEqualTo(SubmitMailbox.Offer.ACCEPTED);
        assertThat(secondCalls.callIdPlain(secondCalls.slot())).isEqualTo(call.ticket);
        answer(call.ticket, 6);
        settle(second.drain(true));
        assertThat(call.resultNow()).isEqualTo(6);
    }

    // ---- spans

    private byte[] large(int length) {
        return new byte[length];
    }

    /** Takes the whole arena: fails if a single span was lost. */
    private void assertSubmitArenaIsFree() {
        HostCall<byte[]> all = offered(call(ContractTasks.ECHO_BYTES, large(CAP)));
        publish(enter(), PayloadTag.NULL, 0, 0, 0, 0);
        drain();
        assertThat(all.resultNow()).isNull();
    }

    /** B15. */
    @Test
    void offer_largeArguments_spansAreFreeAfterSuccessFailureAndCancel() {
        for (int i = 0; i < 30; i++) {
            HostCall<byte[]> call = offered(call(ContractTasks.ECHO_BYTES, large(300_000)));
            if (i % 3 == 2) {
                call.cancel(true);
            }
            publish(enter(), i % 3 == 0 ? PayloadTag.NULL : (byte) -7, 0, 0, 0, 0);
            drain();
            assertThat(call.isDone()).isTrue();
        }
        assertSubmitArenaIsFree();
    }

    /** B15. */
    @Test
    void offer_unencodableOrTooLarge_settlesTheCallAndTakesNothing() {
        for (int i = 0; i < 5; i++) {
            HostCall<byte[]> call = call(ContractTasks.ECHO_BYTES, large(CAP + 1));
            assertThat(lane.offer(call)).isEqualTo(SubmitMailbox.Offer.SETTLED);
            settle(call);
            assertThat(call.exceptionNow())
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE));
        }
        assertThat(lane.outstanding()).isZero();
        assertSubmitArenaIsFree();
    }

    /** B15. */
    @Test
    void takeUnfinished_largeArguments_freesTheirSpans() {
        offered(call(ContractTasks.ECHO_BYTES, large(600_000)));
        assertThat(lane.offer(call(ContractTasks.ECHO_BYTES, large(600_000)))).isEqualTo(SubmitMailbox.Offer.FULL);
        lane.close();
        HostCall<?> left = lane.takeUnfinished().getFirst();
        assertThat(left.span).isEqualTo(-1);
    }

    @Test
    void offer_twoLargeArgumentsAtOnce_oneWaitsAndNoneFails() throws Exception {
        for (int round = 0; round < 60; round++) {
            CyclicBarrier together = new CyclicBarrier(2);
            List<CompletableFuture<Void>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                HostCall<byte[]> call = call(ContractTasks.ECHO_BYTES, large(700_000));
                both.add(background(() -> {
                    together.await();
                    SubmitMailbox.Offer offer = lane.offer(call);
                    if (offer == SubmitMailbox.Offer.SETTLED) {
                        settle(call);
                        throw new AssertionError("the arena holds one of them", call.exceptionNow());
                    }
                }));
            }
            for (CompletableFuture<Void> one : both) {
                one.get(30, TimeUnit.SECONDS);
            }
            while (!calls.isEmpty()) {
                publish(enter(), PayloadTag.NULL, 0, 0, 0, 0);
            }
            drain();
        }
    }

    @Test
    void settle_resultInASpan_releasesTheSpanOnce() {
        for (int i = 0; i < 4; i++) {
            HostCall<byte[]> call = offered(call(ContractTasks.ECHO_BYTES, new byte[1]));
            byte[] value = new byte[1_000];
            value[999] = (byte) (i + 1);
            long span = writeResult(value);
            publish(enter(), PayloadTag.BYTES, SlotMeta.FLAG_ARENA, 0, span, value.length);
            HostCall<?> drained = lane.drain(true);
            assertThat(drained).isSameAs(call);
            assertThat(lane.heldSpans()).as("read only when the call settles").isEqualTo(1);
            assertThat(dev.knitting.codec.PayloadSpan.isReleased(memory, span)).isFalse();
            if (i % 2 == 0) {
                settle(call);
                assertThat(call.resultNow()).isEqualTo(value);
            } else {
                call.cancel(true);
                call.dropTaken(); // as the drainer does when it finds its own call settled
            }
            assertThat(lane.heldSpans()).isZero();
            assertThat(dev.knitting.codec.PayloadSpan.isReleased(memory, span)).isTrue();
        }
    }

    /** The span must be given back also when what lies in it makes no value. */
    @Test
    void settle_garbageInASpan_failsTheCallAndReleasesTheSpan() {
        HostCall<String> call = offered(call(ContractTasks.ECHO_TEXT, "x"));
        long span = writeResult(new byte[999]);
        publish(enter(), PayloadTag.STRUCTURE, SlotMeta.FLAG_ARENA, 0, span, 999);
        drain();
        assertCorrupt(call);
        assertThat(lane.heldSpans()).isZero();
        assertThat(dev.knitting.codec.PayloadSpan.isReleased(memory, span)).isTrue();
    }

    private long writeResult(byte[] value) {
        Payload payload = new Payload();
        payload.body = MemorySegment.ofArray(value);
        payload.bodyLength = value.length;
        long span = returnArena.allocate(value.length);
        returnArena.write(span, payload);
        return span;
    }

    // ---- failures and references

    @Test
    void drain_failureFlagWithoutAFailure_failsThatCall() {
        HostCall<Long> call = offered(inc(1));
        publish(enter(), PayloadTag.LONG, SlotMeta.FLAG_FAILED, 0, 1, 0);
        drain();
        assertCorrupt(call);
    }

    @Test
    void references_unknownCall_areRefused() {
        HostCall<Long> call = offered(inc(7));
        assertThat(lane.argument(call.ticket)).isEqualTo(7L);
        for (long id : new long[] {call.ticket + 1, call.ticket + 256, -1}) {
            assertThatThrownBy(() -> lane.argument(id)).isInstanceOf(KnittingException.class);
            assertThatThrownBy(() -> lane.result(id, 1, false)).isInstanceOf(KnittingException.class);
        }
        assertThat(call.isDone()).isFalse();
    }

    @Test
    void offer_codecThrows_failsWithItsReasonOnly() {
        HostCall<Object> call = call(Task.<Object, Object>of(LaneTest::identity), new ContractTasks.Opaque());
        assertThat(lane.offer(call)).isEqualTo(SubmitMailbox.Offer.SETTLED);
        settle(call);
        assertThat(call.exceptionNow())
                .isNotInstanceOf(TaskFailedException.class)
                .hasMessageContaining("Opaque");
        assertLaneServes();
    }

    private static Object identity(Object value) {
        return value;
    }

    @Test
    void offer_workerSleeps_isRungOnce() {
        dev.knitting.mailbox.BellWord.armVolatile(memory, view.workerBellOffset());
        assertThat(lane.isWorkerAsleep()).isTrue();
        offered(inc(1));
        offered(inc(2));
        assertThat(rings).hasValue(1);
    }

    // ---- virtual threads

    /**
     * A drainer that is a virtual thread loses its carrier at a contended lock; if those who wait for it only spun, on every
     * carrier that there is, it would never get one back.
     */
    @Test
    @Timeout(60)
    void drain_holderHasLostItsCarrier_whoWaitsMakesRoomForIt() throws Exception {
        DeadlineWheel wheel = new DeadlineWheel("lane-test");
        HostCall<Long> call = inc(1);
        Task<Long, Long> limited = ContractTasks.INC.timeout(Duration.ofHours(1));
        assertThat(CallDeadlines.give(call, limited.options(), wheel, new Executions(wheel, completion, false)))
                .isTrue();
        offered(call);
        answer(enter(), 2);
        int carriers = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        List<Thread> waiting = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(carriers);
        Thread holder;
        synchronized (wheel) { // which a drainer needs for a call that has a limit
            holder = Thread.ofVirtual().start(() -> lane.drain(true));
            Watch.await("the drainer to be blocked", () -> holder.getState() == Thread.State.BLOCKED);
            for (int i = 0; i < carriers; i++) {
                waiting.add(Thread.ofVirtual().start(() -> {
                    begun.countDown();
                    lane.drain(true);
                }));
            }
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(holder.join(Duration.ofSeconds(20))).isTrue();
        for (Thread thread : waiting) {
            assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        }
        wheel.close();
        assertThat(call.hasArrived()).isTrue();
    }

    // ---- recovery

    /** Not entered, so always queued again; but a call under which one worker after the other dies is suspected at last. */
    @Test
    void recovery_callOutlivesManyWorkers_isGivenUpAsPoisoned() {
        HostCall<Long> call = inc(1);
        Ending ending = new Ending(WorkerEnd.Reason.CRASHED, ErrorCode.WORKER_CRASHED, false, "signal=SIGTEST");
        Lane current = lane;
        for (int incarnation = 1; incarnation <= Recovery.MOST_DELIVERIES + 1; incarnation++) {
            assertThat(call.isSettledOrArrived()).isFalse();
            assertThat(current.offer(call)).isEqualTo(SubmitMailbox.Offer.ACCEPTED);
            Recovery recovery = new Recovery("lane-test", completion);
            recovery.ofWorker(new Place(0, current), ending);
            assertThat(recovery.lost()).isZero();
            assertThat(recovery.again()).hasSize(incarnation <= Recovery.MOST_DELIVERIES ? 1 : 0);
            view.resetForIncarnation(incarnation + 1, current.nextTicket(), current.nextResult());
            Bell bell = new Bell(memory, view.workerBellOffset(), rings::incrementAndGet, false);
            current = new Lane(0, segment, view, bell, ARENA, CAP, false);
        }
        assertThat(call.exceptionNow())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CALL_POISONED))
                .hasMessageContaining("deliveries=21")
                .hasMessageContaining("mayHaveRun=false")
                .hasMessageContaining("SIGTEST");
        assertThat(call.ended().join()).isEqualTo(Ended.NEVER_RAN);
    }
}

package dev.knitting.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.TaskFailedException;
import dev.knitting.boot.BoundTask;
import dev.knitting.boot.TaskResolver;
import dev.knitting.boot.WorkerConfig;
import dev.knitting.codec.Payload;
import dev.knitting.codec.PayloadSpan;
import dev.knitting.codec.PayloadTag;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.mailbox.WorkerState;
import dev.knitting.memory.ProcessIdentity;
import dev.knitting.memory.SegmentHeader;
import dev.knitting.memory.SegmentHeaderLayout;
import dev.knitting.memory.SegmentHeaderView;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The worker's end of a lane, in a thread; the host's end is played by the test. */
class WorkerLoopTest {
    private static final long TABLE_OFFSET = 4096;
    private static final long TABLE_BYTES = 4096;
    private static final long LANE = 8192;
    private static final long ARENA = 128 << 10;
    private static final long CAP = 100 << 10;

    private static final int INC = 0;
    private static final int BYTES = 1;

    private final SharedSegment segment =
            SharedSegment.create(Memory.PORTABLE, LANE + LaneLayout.strideBytes(ARENA), null);
    private final MemorySegment memory = segment.memory();
    private final LaneView lane = new LaneView(memory, LANE);
    private final ValueCodec codec = new ValueCodec(TypeTable.EMPTY, CAP);
    private final MailboxWriter calls = new MailboxWriter(memory, LANE + LaneLayout.SUBMIT_OFFSET);
    private final MailboxReader results = new MailboxReader(memory, LANE + LaneLayout.RETURN_OFFSET, 0);
    private Thread thread;

    @BeforeEach
    void start() {
        SegmentHeaderView header = SegmentHeaderView.create(
                segment,
                new SegmentHeader(
                        SegmentHeaderLayout.DISCIPLINE_PRIVATE_LANES,
                        1,
                        ProcessIdentity.current(),
                        1,
                        0,
                        0,
                        TABLE_OFFSET,
                        TABLE_BYTES,
                        LANE,
                        LaneLayout.strideBytes(ARENA)));
        lane.resetForIncarnation(1, 0, 0);
        WorkerConfig config = new WorkerConfig(
                ARENA,
                CAP,
                0,
                1_000_000,
                false,
                false,
                List.of(),
                List.of(),
                0,
                2,
                "test",
                0,
                false,
                new byte[0],
                new byte[0],
                "");
        TaskResolver resolver = new TaskResolver() {
            @Override
            public BoundTask resolve(int id) {
                return switch (id) {
                    case INC -> new BoundTask(value -> (long) value + 1, codec, false);
                    case BYTES -> new BoundTask(length -> new byte[(int) length], codec, false);
                    default -> throw KnittingException.of(ErrorCode.TASK_NOT_FOUND, "no such task", "id", id);
                };
            }

            @Override
            public String describe(int id) {
                return "task " + id;
            }

            @Override
            public int count() {
                return 2;
            }

            @Override
            public void start(byte[] hook) {
                throw new AssertionError("there is no hook");
            }
        };
        WorkerLoop loop = new WorkerLoop(segment, header, lane, config, resolver, null);
        thread = new Thread(loop::run, "worker-loop-test");
        thread.setDaemon(true);
        thread.start();
        await(() -> lane.stateAcquire() == WorkerState.READY);
    }

    @AfterEach
    void stop() throws InterruptedException {
        lane.stopVolatile();
        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).as("the loop saw the stop word").isFalse();
        segment.close();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("waited long enough").isNegative();
            LockSupport.parkNanos(50_000);
        }
    }

    private void submit(long position, int task, byte tag, int flags, int length, long word0, long word1) {
        await(() -> position - lane.retiredAcquire() < SlotLayout.SLOTS);
        calls.publish(
                position, position + 1_000, SlotMeta.pack(task, tag, flags, length), word0, word1, 0, 0, null, 0, 0);
    }

    private void submitInc(long position, long value) {
        submit(position, INC, PayloadTag.LONG, 0, 0, value, 0);
    }

    private long awaitSlot() {
        await(() -> !results.isEmpty());
        return results.slot();
    }

    private void taken() {
        results.advance();
        lane.returnedRelease(results.position());
    }

    private Throwable takeFailure() {
        long slot = awaitSlot();
        long meta = results.metaPlain(slot);
        assertThat(SlotMeta.flags(meta) & SlotMeta.FLAG_FAILED).isNotZero();
        Payload payload = new Payload();
        payload.tag = SlotMeta.tag(meta);
        if ((SlotMeta.flags(meta) & SlotMeta.FLAG_ARENA) != 0) {
            long span = results.wordPlain(slot, 0);
            PayloadSpan.read(memory, span, results.wordPlain(slot, 1), payload);
            Throwable failure = codec.decodeFailure(payload);
            PayloadSpan.release(memory, span);
            taken();
            return failure;
        }
        payload.word0 = results.wordPlain(slot, 0);
        int length = SlotMeta.length(meta);
        byte[] body = new byte[length];
        results.inlinePlain(slot, body, length);
        payload.body = MemorySegment.ofArray(body);
        payload.bodyLength = length;
        taken();
        return codec.decodeFailure(payload);
    }

    private void takeLong(long callId, long value) {
        long slot = awaitSlot();
        assertThat(results.callIdPlain(slot)).isEqualTo(callId);
        assertThat(SlotMeta.tag(results.metaPlain(slot))).isEqualTo(PayloadTag.LONG);
        assertThat(results.wordPlain(slot, 0)).isEqualTo(value);
        taken();
    }

    /** B23: the 65th result waits in the worker; no result overwrites one that was not taken, and all arrive. */
    @Test
    void returnMailboxFull_hostDrainsLate_losesNothing() {
        int count = 300;
        Thread host = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                submitInc(i, i);
            }
        });
        host.setDaemon(true);
        host.start();
        await(() -> lane.retiredAcquire() == SlotLayout.SLOTS + 1);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(30);
        do {
            assertThat(results.isEmpty())
                    .as("the first result is still in its slot")
                    .isFalse();
            assertThat(lane.retiredAcquire())
                    .as("no call is entered behind one that waits")
                    .isEqualTo(SlotLayout.SLOTS + 1);
        } while (System.nanoTime() - until < 0);
        for (int i = 0; i < count; i++) {
            takeLong(i + 1_000, i + 1);
        }
        assertThat(results.isEmpty()).isTrue();
    }

    /** B23 with payloads: a result waits for room in the arena, which the host makes by releasing spans. */
    @Test
    void returnArenaFull_hostReleasesLate_losesNothing() {
        for (int i = 0; i < 20; i++) {
            submit(i, BYTES, PayloadTag.INT, 0, 0, 60_000 + i, 0);
        }
        for (int i = 0; i < 20; i++) {
            long slot = awaitSlot();
            assertThat(results.callIdPlain(slot)).isEqualTo(i + 1_000);
            long span = results.wordPlain(slot, 0);
            long length = results.wordPlain(slot, 1);
            assertThat(length).isEqualTo(60_000 + i);
            assertThat(PayloadSpan.isValid(span, length, LANE + LaneLayout.ARENAS_OFFSET + ARENA, ARENA, CAP))
                    .isTrue();
            assertThat(PayloadSpan.isReleased(memory, span)).isFalse();
            PayloadSpan.release(memory, span);
            taken();
        }
    }

    @Test
    void stopWord_whileAResultWaitsForRoom_endsTheLoop() {
        for (int i = 0; i < SlotLayout.SLOTS + 1; i++) {
            submitInc(i, i);
        }
        await(() -> lane.retiredAcquire() == SlotLayout.SLOTS + 1);
        // the loop's end is asserted by stop()
        assertThat(thread.isAlive()).isTrue();
    }

    @Test
    void voidCall_isRetiredAndAnsweredByNothing() {
        calls.publishVoid(0);
        submitInc(1, 5);
        takeLong(1_001, 6);
        assertThat(lane.retiredAcquire()).isEqualTo(2);
    }

    @Test
    void forgedCalls_failThatCallAndTheLoopGoesOn() {
        long position = 0;
        submit(position++, 7, PayloadTag.LONG, 0, 0, 1, 0);
        assertThat(takeFailure())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TASK_NOT_FOUND));
        submit(position++, INC, (byte) -77, 0, 0, 1, 0);
        assertThat(takeFailure())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_PEER));
        submit(position++, INC, PayloadTag.BYTES, SlotMeta.FLAG_ARENA, 0, -64, Long.MAX_VALUE);
        assertThat(takeFailure())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_PEER));
        submit(position++, INC, PayloadTag.STRING_LATIN1, 0, 0, 1, 0); // not a long: the task's cast fails
        assertThat(takeFailure()).isInstanceOf(TaskFailedException.class).hasMessageContaining("ClassCastException");
        submitInc(position, 1);
        takeLong(position + 1_000, 2);
    }
}

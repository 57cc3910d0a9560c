package dev.knitting.host;

import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import dev.knitting.WorkerEnd;
import dev.knitting.codec.PayloadArena;
import dev.knitting.codec.PayloadTag;
import dev.knitting.doorbell.Bell;
import dev.knitting.fuzz.Allocation;
import dev.knitting.mailbox.AbortView;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.LaneView;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fuzz target: the host's end of a lane whose other end does what the input says: words into slots, control words and
 * arenas, in any order with calls, drains and aborts. Every call settles once, with a result or a {@link
 * KnittingException}, or is still there when the lane is taken apart; no span stays held.
 */
public final class LaneFuzz {
    private static final int ARENA = 64 << 10;
    private static final int CAP = ARENA - (int) PayloadArena.PREFIX_BYTES;
    private static final long MOST_BYTES = 32L << 20;
    private static final int MOST_STEPS = 200;

    private static final PoolOptions OPTIONS = Pool.threads(1)
            .copyArguments(true)
            .payload(payload -> payload.ceilingBytes(ARENA).maxBytes(CAP))
            .options();
    private static final AtomicInteger ANNOUNCED = new AtomicInteger();
    private static final TaskCatalog CATALOG =
            new TaskCatalog(OPTIONS, false, description -> ANNOUNCED.getAndIncrement());
    private static final Completion COMPLETION = new Completion("lane-fuzz", 0, 1_000_000, false, null);
    private static final SharedSegment SEGMENT =
            SharedSegment.create(SharedSegment.resolve(Memory.AUTOMATIC), LaneLayout.strideBytes(ARENA), null);
    private static final MemorySegment MEMORY = SEGMENT.memory();

    static {
        SEGMENT.unlink();
        SEGMENT.reserve(0, LaneLayout.strideBytes(ARENA));
    }

    private static final ContractTasks.Order ORDER =
            new ContractTasks.Order(1, "c", 2, List.of(new ContractTasks.Line("i", 1)), Map.of("vat", 0.2));

    private LaneFuzz() {}

    /** Steps of one to eleven bytes. */
    public static void fuzzerTestOneInput(byte[] data) {
        Allocation.bounded(MOST_BYTES, () -> new Run(ByteBuffer.wrap(data)).go());
    }

    private static final class Run {
        private final ByteBuffer in;
        private final LaneView view = new LaneView(MEMORY, 0);
        private final Lane lane;
        private final List<HostCall<?>> calls = new ArrayList<>();

        Run(ByteBuffer in) {
            this.in = in;
            view.resetForIncarnation(2, 1000, 500);
            lane = new Lane(
                    0, SEGMENT, view, new Bell(MEMORY, view.workerBellOffset(), () -> {}, false), ARENA, CAP, false);
        }

        void go() {
            offer(0);
            for (int step = 0; step < MOST_STEPS && in.hasRemaining(); step++) {
                step(in.get());
            }
            drain();
            lane.close();
            lane.drainPublished(this::settleAll);
            List<HostCall<?>> left = lane.takeUnfinished();
            for (HostCall<?> call : calls) {
                if (!call.isCancelled() && call.isDone() == left.contains(call)) {
                    throw new AssertionError("settled and left, or neither: " + call);
                }
                if (call.isCompletedExceptionally()
                        && !call.isCancelled()
                        && !(call.exceptionNow() instanceof KnittingException)) {
                    throw new AssertionError("odd failure", call.exceptionNow());
                }
            }
            if (lane.heldSpans() != 0) {
                throw new AssertionError("spans are held: " + lane.heldSpans());
            }
        }

        private void step(int what) {
            switch (what & 7) {
                case 0 -> offer(what >>> 3);
                case 1 -> drain();
                case 2 -> slotWord(LaneLayout.RETURN_OFFSET);
                case 3 -> result();
                case 4 -> MEMORY.set(ValueLayout.JAVA_INT, (short16() & 1023) * 4L, (int) word(4));
                case 5 ->
                    MEMORY.set(
                            ValueLayout.JAVA_LONG,
                            LaneLayout.ARENAS_OFFSET + ARENA + (short16() & (ARENA / 8 - 1)) * 8L,
                            word(8));
                case 6 -> slotWord((what & 8) == 0 ? LaneLayout.SUBMIT_OFFSET : LaneLayout.RETURN_OFFSET);
                default -> look(what >>> 3);
            }
        }

        private void offer(int which) {
            HostCall<?> call = switch (which & 3) {
                case 0 -> call(ContractTasks.INC, 1L);
                case 1 -> call(ContractTasks.ECHO_TEXT, "x".repeat(100));
                case 2 -> call(ContractTasks.ECHO_BYTES, new byte[1000]);
                default -> call(ContractTasks.RAISE, ORDER);
            };
            SubmitMailbox.Offer offered = lane.offer(call);
            if (offered == SubmitMailbox.Offer.ACCEPTED) {
                calls.add(call);
            } else if (offered != SubmitMailbox.Offer.FULL) {
                throw new AssertionError(offered.toString());
            }
        }

        private static <A, R> HostCall<R> call(Task<A, R> task, A argument) {
            return new HostCall<>(COMPLETION, CATALOG.entry(task), argument, false);
        }

        /** A message at a position near the expected one, of a call near those that are open. */
        private void result() {
            long position = lane.nextResult() + (in8() & 3) - 1;
            long slot = slot(LaneLayout.RETURN_OFFSET, position);
            MEMORY.set(ValueLayout.JAVA_LONG, slot + 8, 1000 + in8() % 8);
            MEMORY.set(ValueLayout.JAVA_LONG, slot + 16, SlotMeta.pack(in8(), (byte) in8(), short16(), short16()));
            long arena = LaneLayout.ARENAS_OFFSET + ARENA;
            MEMORY.set(ValueLayout.JAVA_LONG, slot + 32, arena + (in8() & 3) * 64L);
            MEMORY.set(ValueLayout.JAVA_LONG, slot + 40, short16() & 0xFFFF);
            MEMORY.set(ValueLayout.JAVA_LONG, slot, position + 1);
        }

        private void slotWord(long mailbox) {
            MEMORY.set(ValueLayout.JAVA_LONG, slot(mailbox, in8() & 63) + (in8() & 63) % 72 * 8L, word(8));
        }

        private static long slot(long mailbox, long position) {
            return mailbox + (position & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
        }

        /** What else the host reads of a lane, and asks of a call. */
        private void look(int which) {
            HostCall<?> call = calls.isEmpty() ? call(ContractTasks.INC, 1L) : calls.get((which & 31) % calls.size());
            switch (which & 7) {
                case 0 ->
                    new Ending(WorkerEnd.Reason.CRASHED, dev.knitting.ErrorCode.WORKER_CRASHED, false, "x")
                            .refine(view, in8());
                case 1 -> view.errorTextPlain();
                case 2 -> lane.wasEntered(call);
                case 3 -> lane.isTurnOf(call);
                case 4 -> lane.tryAbort(call, in8() & 7, "why");
                case 5 -> {
                    AbortView aborts = new AbortView(view.window());
                    aborts.whatAcquire(call.ticket);
                    aborts.reasonPlain(call.ticket);
                }
                case 6 -> call.cancel(true);
                default -> lane.hasRoom();
            }
        }

        private void drain() {
            HostCall<?> call = lane.drain(true);
            if (call != null) {
                settleAll(call);
            }
        }

        private void settleAll(HostCall<?> first) {
            HostCall<?> call = first;
            while (call != null) {
                HostCall<?> next = call.nextDrained;
                if (call.isOwnedByDrainer()) {
                    call.settleTaken();
                } else if (call.isDone()) {
                    call.dropOutcome();
                } else {
                    call.settle();
                }
                call = next;
            }
        }

        private int in8() {
            return in.hasRemaining() ? in.get() : 0;
        }

        private int short16() {
            return in8() & 0xFF | in8() << 8 & 0xFF00;
        }

        private long word(int bytes) {
            long word = 0;
            for (int i = 0; i < bytes; i++) {
                word |= (in8() & 0xFFL) << 8 * i;
            }
            return word;
        }
    }

    /** Good inputs: calls that are answered. */
    public static List<byte[]> seeds() {
        int inline = SlotMeta.FLAG_INLINE;
        int arena = SlotMeta.FLAG_ARENA;
        return List.of(
                new byte[] {3, 1, 0, 1, PayloadTag.LONG, 0, 0, 0, 0, 0, 2, 0, 1},
                new byte[] {8, 3, 2, 1, 1, PayloadTag.STRING_LATIN1, (byte) inline, 0, 100, 0, 0, 0, 0, 1},
                new byte[] {
                    16,
                    5,
                    1,
                    0,
                    9,
                    9,
                    9,
                    9,
                    9,
                    9,
                    9,
                    9,
                    3,
                    1,
                    1,
                    1,
                    PayloadTag.BYTES,
                    (byte) arena,
                    0,
                    0,
                    0,
                    1,
                    100,
                    0,
                    1
                },
                new byte[] {24, 3, 1, 0, 1, PayloadTag.STRUCTURE, (byte) arena, 0, 0, 0, 1, 50, 0, 1, 7, 15, 39, 55},
                new byte[] {
                    0, 0, 0, 3, 1, 0, 1, 0, 0, 8, 0, 0, 0, 0, 0, 3, 2, 1, 1, 0, 0, 4, 0, 0, 0, 0, 0, 1, 39, 4, 55
                });
    }
}

package dev.knitting.host;

import dev.knitting.Task;
import dev.knitting.boot.SegmentMap;
import dev.knitting.codec.PayloadTag;
import dev.knitting.mailbox.LaneLayout;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import dev.knitting.memory.SharedSegment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Tasks of a worker that turns against its host: they find the segment that their worker has mapped, and write into it
 * what no correct worker writes. By seed.
 */
final class HostileTasks {
    static final Task<Long, Long> SCRIBBLE = Task.of(HostileTasks::scribble);
    static final Task<String, Long> FORGE = Task.of(HostileTasks::forge);

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Words of a lane's first page, as docs/protocol.md lists them. */
    private static final int[] CONTROL_WORDS = {
        0, 4, 128, 132, 136, 144, 152, 160, 256, 384, 512, 640, 768, 776, 784, 792, 896, 1024, 1028, 1032
    };

    private static final int RETIRED = 384;
    private static final int RETURNED = 512;
    private static final int LANE_STRIDE = 88;
    private static final int LANE_COUNT = 28;

    private HostileTasks() {}

    /** From now on, until the process ends, a thread writes at random; returns at once. */
    static long scribble(long seed) throws ReflectiveOperationException {
        Scribbler scribbler = new Scribbler(ownSegment().memory(), seed);
        Thread thread = new Thread(scribbler::scribbleForEver, "scribbler");
        thread.setDaemon(true);
        thread.start();
        if ((seed & 3) == 0) {
            LockSupport.parkNanos(100_000_000); // calls queue up behind this one
        }
        return seed;
    }

    /** As the worker's thread itself: one of the attacks that a test names. */
    static long forge(String attack) throws ReflectiveOperationException, InterruptedException {
        MemorySegment memory = ownSegment().memory();
        long lane = SegmentMap.LANES_OFFSET;
        switch (attack) {
            case "submitStart" -> memory.set(LONG, lane + 136, Long.MAX_VALUE);
            case "submitStartNegative" -> memory.set(LONG, lane + 136, Long.MIN_VALUE);
            case "endlessResults" -> {
                Thread thread = new Thread(() -> publishForEver(memory, lane), "publisher");
                thread.setDaemon(true);
                thread.start();
            }
            case "config" -> {
                for (long at = SegmentMap.BOOT_TABLE_OFFSET; at < SegmentMap.BOOT_TABLE_OFFSET + 4096; at += 8) {
                    memory.set(LONG, at, 0x4141_4141_4141_4141L);
                }
            }
            case "taskTable" -> {
                for (long at = SegmentMap.TASK_TABLE_OFFSET; at < SegmentMap.TASK_TABLE_OFFSET + 4096; at += 8) {
                    memory.set(LONG, at, -1);
                }
            }
            case "header" -> {
                for (long at = 0; at < 128; at += 8) {
                    memory.set(LONG, at, -1);
                }
            }
            case "ahead" -> {
                long next = memory.get(LONG, lane + RETURNED);
                long calls = memory.get(LONG, lane + RETIRED);
                // Answers to calls that the next worker in this place will be given.
                for (int i = 1; i < SlotLayout.SLOTS; i++) {
                    long slot = slot(lane + LaneLayout.RETURN_OFFSET, next + i);
                    memory.set(LONG, slot + 8, calls + i);
                    memory.set(LONG, slot + 16, SlotMeta.pack(1, (byte) 5, 0, 0));
                    memory.set(LONG, slot + 32, 666);
                    memory.set(LONG, slot, next + i + 1);
                }
            }
            case "beyond" -> {
                long position = memory.get(LONG, lane + RETURNED);
                long arenaBytes = (memory.get(LONG, LANE_STRIDE) - LaneLayout.ARENAS_OFFSET) / 2;
                long slot = slot(lane + LaneLayout.RETURN_OFFSET, position);
                memory.set(LONG, slot + 8, memory.get(LONG, lane + RETIRED) - 1);
                memory.set(LONG, slot + 16, SlotMeta.pack(1, PayloadTag.BYTES, SlotMeta.FLAG_ARENA, 0));
                memory.set(LONG, slot + 32, lane + LaneLayout.ARENAS_OFFSET + arenaBytes + arenaBytes / 2 / 64 * 64);
                memory.set(LONG, slot + 40, 100_000);
                memory.set(LONG, slot, position + 1);
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                while (memory.get(LONG, lane + RETURNED) <= position && System.nanoTime() - until < 0) {
                    LockSupport.parkNanos(
                            1_000_000); // until the host has taken it: the task's own answer overwrites it
                }
            }
            default -> throw new IllegalArgumentException(attack);
        }
        return 1;
    }

    private static void publishForEver(MemorySegment memory, long lane) {
        long position = memory.get(LONG, lane + RETURNED);
        while (true) {
            long taken = memory.get(LONG, lane + RETURNED);
            position = Math.max(position, taken);
            while (position - taken < SlotLayout.SLOTS) {
                long slot = slot(lane + LaneLayout.RETURN_OFFSET, position);
                memory.set(LONG, slot + 16, SlotMeta.pack(0, (byte) 0, SlotMeta.FLAG_VOID, 0));
                memory.set(LONG, slot, ++position);
            }
        }
    }

    private static long slot(long mailbox, long position) {
        return mailbox + (position & SlotLayout.SLOT_MASK) * SlotLayout.SLOT_STRIDE_BYTES;
    }

    /** What the loop of this worker has mapped: test code runs in the same unnamed module. */
    private static SharedSegment ownSegment() throws ReflectiveOperationException {
        Object loop = field(Thread.currentThread(), Thread.currentThread().getClass(), "loop");
        Class<?> type = loop.getClass();
        while (true) {
            try {
                return (SharedSegment) field(loop, type, "segment");
            } catch (NoSuchFieldException e) {
                type = type.getSuperclass();
            }
        }
    }

    private static Object field(Object of, Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    /** Writes at random, most of it where it hurts. */
    private static final class Scribbler {
        private final MemorySegment memory;
        private final SplittableRandom random;
        private final long laneStride;
        private final int lanes;
        private final int targets;

        Scribbler(MemorySegment memory, long seed) {
            this.memory = memory;
            this.random = new SplittableRandom(seed);
            this.laneStride = memory.get(LONG, LANE_STRIDE);
            this.lanes = memory.get(INT, LANE_COUNT);
            this.targets = random.nextInt(1, 256);
        }

        void scribbleForEver() {
            while (true) {
                int burst = 1 << random.nextInt(0, 11);
                for (int i = 0; i < burst; i++) {
                    try {
                        scribbleOnce();
                    } catch (IndexOutOfBoundsException e) {
                        // beyond the end: a worker cannot write there
                    }
                }
                LockSupport.parkNanos(random.nextInt(1_000_000));
            }
        }

        private void scribbleOnce() {
            int target = random.nextInt(8);
            if ((targets >>> target & 1) == 0) {
                return;
            }
            long lane = SegmentMap.LANES_OFFSET + random.nextInt(lanes) * laneStride;
            switch (target) {
                case 0 -> forgeResult(lane);
                case 1 -> slotWord(lane + LaneLayout.RETURN_OFFSET);
                case 2 -> slotWord(lane + LaneLayout.SUBMIT_OFFSET);
                case 3 -> write(lane + CONTROL_WORDS[random.nextInt(CONTROL_WORDS.length)]);
                case 4 -> write(lane + LaneLayout.ABORTS_OFFSET + random.nextInt(16_384 / 8) * 8L);
                case 5 ->
                    write(lane + LaneLayout.ARENAS_OFFSET + random.nextLong(laneStride - LaneLayout.ARENAS_OFFSET));
                case 6 -> write(random.nextInt(512 / 4) * 4L); // header, host's bell, counters
                default ->
                    write(SegmentMap.BOOT_TABLE_OFFSET
                            + (random.nextBoolean() ? 0 : SegmentMap.TASK_TABLE_OFFSET - SegmentMap.BOOT_TABLE_OFFSET)
                            + random.nextInt(2048));
            }
        }

        private void slotWord(long mailbox) {
            write(mailbox + random.nextInt(SlotLayout.SLOTS) * SlotLayout.SLOT_STRIDE_BYTES + random.nextInt(12) * 8L);
        }

        /** A result that the host believes to be complete, with contents of any kind. */
        private void forgeResult(long lane) {
            long position = memory.get(LONG, lane + RETURNED) + random.nextInt(3);
            long slot = slot(lane + LaneLayout.RETURN_OFFSET, position);
            long retired = memory.get(LONG, lane + RETIRED);
            memory.set(LONG, slot + 8, retired + random.nextInt(-4, 4));
            int flags = random.nextBoolean() ? 1 << random.nextInt(12) : random.nextInt(1 << 12);
            int length = random.nextBoolean() ? random.nextInt(1, 513) : random.nextInt(1 << 16);
            memory.set(
                    LONG, slot + 16, SlotMeta.pack(random.nextInt(1 << 16), (byte) random.nextInt(50), flags, length));
            long arena = lane + LaneLayout.ARENAS_OFFSET + (laneStride - LaneLayout.ARENAS_OFFSET) / 2;
            memory.set(LONG, slot + 32, random.nextInt(4) == 0 ? random.nextLong() : arena + random.nextInt(64) * 64L);
            memory.set(LONG, slot + 40, random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(1 << 20));
            if (random.nextBoolean()) {
                slotWord(lane + LaneLayout.RETURN_OFFSET);
            }
            memory.set(LONG, slot, position + 1);
        }

        private void write(long offset) {
            switch (random.nextInt(7)) {
                case 0 -> memory.set(LONG, offset, random.nextLong());
                case 1 -> memory.set(LONG, offset, random.nextInt(-2, 70));
                case 2 -> memory.set(LONG, offset, random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE);
                case 3 -> memory.set(LONG, offset, memory.get(LONG, offset) + random.nextInt(-64, 65));
                case 4 -> memory.set(LONG, offset, memory.get(LONG, offset) ^ 1L << random.nextInt(64));
                case 5 -> memory.set(INT, offset, random.nextInt());
                default -> memory.set(INT, offset, random.nextInt(5));
            }
        }
    }
}

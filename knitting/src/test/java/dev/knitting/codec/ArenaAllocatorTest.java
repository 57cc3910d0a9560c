package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ArenaAllocatorTest {
    private static final int ALIGNMENT = ArenaAllocator.ALIGNMENT_BYTES;

    @Test
    void allocate_freedSpanBelowOthers_isUsedFirst() {
        ArenaAllocator allocator = new ArenaAllocator(1024);
        long first = allocator.allocate(100);
        long second = allocator.allocate(1);
        allocator.free(first);
        assertThat(first).isZero();
        assertThat(second).isEqualTo(128);
        assertThat(allocator.allocate(64)).isZero();
        assertThat(allocator.allocate(64)).isEqualTo(64);
        assertThat(allocator.allocate(64)).isEqualTo(192);
    }

    @Test
    void allocate_zeroBytes_takesASpanOfItsOwn() {
        ArenaAllocator allocator = new ArenaAllocator(128);
        assertThat(allocator.allocate(0)).isZero();
        assertThat(allocator.allocate(0)).isEqualTo(64);
        assertThat(allocator.allocate(0)).isEqualTo(ArenaAllocator.NONE);
    }

    @Test
    void allocate_wholeArena_fitsExactlyOnce() {
        ArenaAllocator allocator = new ArenaAllocator(4096);
        assertThat(allocator.allocate(4096)).isZero();
        assertThat(allocator.allocate(1)).isEqualTo(ArenaAllocator.NONE);
        assertThat(allocator.usedBytes()).isEqualTo(4096);
    }

    @Test
    void allocate_moreThanTheArena_returnsNone() {
        ArenaAllocator allocator = new ArenaAllocator(4096);
        assertThat(allocator.allocate(4097)).isEqualTo(ArenaAllocator.NONE);
        assertThat(allocator.allocate(Long.MAX_VALUE)).isEqualTo(ArenaAllocator.NONE);
        assertThat(new ArenaAllocator(Long.MAX_VALUE).allocate(Long.MAX_VALUE)).isEqualTo(ArenaAllocator.NONE);
        assertThat(allocator.highWater()).isZero();
    }

    @Test
    void allocate_negativeLength_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new ArenaAllocator(64).allocate(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> new ArenaAllocator(-1));
    }

    @Test
    void capacity_notAMultipleOfTheAlignment_isRoundedDown() {
        ArenaAllocator allocator = new ArenaAllocator(127);
        assertThat(allocator.capacity()).isEqualTo(64);
        assertThat(allocator.allocate(65)).isEqualTo(ArenaAllocator.NONE);
        assertThat(new ArenaAllocator(63).allocate(0)).isEqualTo(ArenaAllocator.NONE);
    }

    @Test
    void free_allInAnyOrder_joinsTheArenaAgain() {
        for (int seed = 0; seed < 20; seed++) {
            ArenaAllocator allocator = new ArenaAllocator(64 * 64);
            List<Long> offsets = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                offsets.add(allocator.allocate(64));
            }
            java.util.Collections.shuffle(offsets, new Random(seed));
            offsets.forEach(allocator::free);
            assertThat(allocator.liveCount()).isZero();
            assertThat(allocator.allocate(64 * 64)).as("seed %d", seed).isZero();
        }
    }

    @Test
    void free_twiceOrUnknown_throws() {
        ArenaAllocator allocator = new ArenaAllocator(1024);
        long offset = allocator.allocate(128);
        assertThatIllegalStateException().isThrownBy(() -> allocator.free(offset + 64));
        allocator.free(offset);
        assertThatIllegalStateException()
                .isThrownBy(() -> allocator.free(offset))
                .withMessageContaining("offset=0");
        assertThatIllegalStateException().isThrownBy(() -> allocator.free(-1));
        assertThat(allocator.usedBytes()).isZero();
        assertThat(allocator.allocate(1024)).isZero();
    }

    @Test
    void highWater_afterAllocate_coversTheSpanAndNeverFalls() {
        ArenaAllocator allocator = new ArenaAllocator(1024);
        long first = allocator.allocate(65);
        assertThat(allocator.highWater()).isEqualTo(128);
        allocator.free(first);
        allocator.free(allocator.allocate(64));
        assertThat(allocator.highWater()).isEqualTo(128);
        allocator.allocate(129);
        assertThat(allocator.highWater()).isEqualTo(192);
    }

    /** B03: 400 payloads of 2 KiB through 64 KiB. */
    @Test
    void allocate_recyclingUnderPressure_neverAliases() {
        ArenaAllocator allocator = new ArenaAllocator(64 << 10);
        Model model = new Model();
        Deque<Long> live = new ArrayDeque<>();
        for (int i = 0; i < 400; i++) {
            long offset = allocator.allocate(2048);
            if (offset == ArenaAllocator.NONE) {
                assertThat(live).hasSize(32);
                long oldest = live.remove();
                model.free(oldest);
                allocator.free(oldest);
                offset = allocator.allocate(2048);
            }
            model.take(offset, 2048, allocator.capacity());
            live.add(offset);
        }
        assertThat(allocator.liveCount()).isEqualTo(32);
    }

    /** B02: no overlap, no spurious failure, books that balance. */
    @Property(tries = 200)
    void allocateAndFree_atRandom_keepsSpansApartAndBooksBalanced(@ForAll long seed) {
        Random random = new Random(seed);
        ArenaAllocator allocator = new ArenaAllocator(32 << 10);
        Model model = new Model();
        for (int i = 0; i < 500; i++) {
            if (random.nextInt(3) > 0) {
                int bytes = random.nextInt(3000);
                long offset = allocator.allocate(bytes);
                if (offset == ArenaAllocator.NONE) {
                    assertThat(model.longestGap(allocator.capacity())).isLessThan(Math.max(1, bytes));
                } else {
                    model.take(offset, bytes, allocator.capacity());
                }
            } else if (!model.spans.isEmpty()) {
                long offset = model.any(random);
                model.free(offset);
                allocator.free(offset);
            }
            assertThat(allocator.liveCount()).isEqualTo(model.spans.size());
            assertThat(allocator.usedBytes())
                    .isEqualTo(model.spans.values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }
    }

    /** Each thread marks the 64-byte cells of its spans; a cell that is marked already belongs to two spans. */
    @Test
    void allocateAndFree_severalThreads_neverAliases() throws Exception {
        int threads = 4;
        ArenaAllocator allocator = new ArenaAllocator(64 << 10);
        AtomicIntegerArray owners = new AtomicIntegerArray((64 << 10) / ALIGNMENT);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<Integer>> jobs = new ArrayList<>();
            for (int thread = 1; thread <= threads; thread++) {
                int owner = thread;
                jobs.add(() -> churn(allocator, owners, owner));
            }
            int allocations = 0;
            for (Future<Integer> done : executor.invokeAll(jobs)) {
                allocations += done.get();
            }
            assertThat(allocations).isGreaterThan(threads * 1000);
        }
        assertThat(allocator.liveCount()).isZero();
        assertThat(allocator.allocate(64 << 10)).isZero();
    }

    private static int churn(ArenaAllocator allocator, AtomicIntegerArray owners, int owner) {
        Random random = new Random(owner);
        Deque<long[]> live = new ArrayDeque<>();
        int allocations = 0;
        for (int i = 0; i < 20_000; i++) {
            int bytes = 1 + random.nextInt(6000);
            long offset = allocator.allocate(bytes);
            if (offset != ArenaAllocator.NONE) {
                allocations++;
                mark(owners, offset, bytes, 0, owner);
                live.add(new long[] {offset, bytes});
            }
            if (offset == ArenaAllocator.NONE || live.size() > 5) {
                release(allocator, owners, owner, live.poll());
            }
        }
        for (long[] span : live) {
            release(allocator, owners, owner, span);
        }
        return allocations;
    }

    private static void release(ArenaAllocator allocator, AtomicIntegerArray owners, int owner, long[] span) {
        if (span != null) {
            mark(owners, span[0], span[1], owner, 0);
            allocator.free(span[0]);
        }
    }

    private static void mark(AtomicIntegerArray owners, long offset, long bytes, int expected, int owner) {
        for (long cell = offset / ALIGNMENT; cell * ALIGNMENT < offset + bytes; cell++) {
            assertThat(owners.compareAndExchange((int) cell, expected, owner)).isEqualTo(expected);
        }
    }

    /** The live spans as they must be. */
    private static final class Model {
        final TreeMap<Long, Long> spans = new TreeMap<>();

        void take(long offset, long bytes, long capacity) {
            long length = Math.max(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
            assertThat(offset % ALIGNMENT).isZero();
            assertThat(offset + length).isLessThanOrEqualTo(capacity);
            var below = spans.floorEntry(offset);
            assertThat(below == null || below.getKey() + below.getValue() <= offset)
                    .isTrue();
            var above = spans.ceilingKey(offset);
            assertThat(above == null || offset + length <= above).isTrue();
            spans.put(offset, length);
        }

        void free(long offset) {
            spans.remove(offset);
        }

        long any(Random random) {
            return List.copyOf(spans.keySet()).get(random.nextInt(spans.size()));
        }

        long longestGap(long capacity) {
            long longest = 0;
            long end = 0;
            for (var span : spans.entrySet()) {
                longest = Math.max(longest, span.getKey() - end);
                end = span.getKey() + span.getValue();
            }
            return Math.max(longest, capacity - end);
        }
    }
}

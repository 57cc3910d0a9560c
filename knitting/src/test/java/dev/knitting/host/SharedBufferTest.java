package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.Call;
import dev.knitting.Envelope;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.SharedBuffer;
import dev.knitting.Stealing;
import dev.knitting.Task;
import dev.knitting.TaskContext;
import dev.knitting.host.BufferTasks.Labelled;
import dev.knitting.host.BufferTasks.Request;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shared buffers: what they cost nobody sees here, but who may touch them when. */
class SharedBufferTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final long MIB = 1 << 20;

    @TempDir
    Path directory;

    enum Kind {
        PROCESSES,
        PORTABLE,
        STEALING,
        THREADS,
        COPYING_THREADS,
        DIRECT;

        Pool open() {
            return switch (this) {
                case PROCESSES ->
                    processes(2)
                            .payload(payload -> payload.buffersBytes(16 * MIB))
                            .open();
                case PORTABLE -> processes(1).memory(Memory.PORTABLE).open();
                case STEALING ->
                    processes(2).tuning(tuning -> tuning.stealing(Stealing.ON)).open();
                case THREADS -> Pool.threads(2).open();
                case COPYING_THREADS -> Pool.threads(2).copyArguments(true).open();
                case DIRECT -> Pool.direct();
            };
        }
    }

    /** One pool of each kind for the tests that leave it as it was: to start workers is what takes time. */
    private static final Map<Kind, Pool> POOLS = new EnumMap<>(Kind.class);

    private static Pool pool(Kind kind) {
        return POOLS.computeIfAbsent(kind, Kind::open);
    }

    @AfterAll
    static void closeAll() {
        Watch watch = Watch.start();
        POOLS.values().forEach(Pool::close);
        POOLS.clear();
        watch.assertNothingLeft();
    }

    private static PoolBuilder processes(int workers) {
        return Pool.processes(workers).name("buffers").jvm(jvm -> jvm.maxHeap("64m"));
    }

    private static HostBuffers buffersOf(Pool pool) {
        return pool instanceof DefaultPool known ? known.buffersOf(0) : LocalBuffers.area();
    }

    private static void kill(long pid) {
        assertThat(ProcessHandle.of(pid))
                .hasValueSatisfying(
                        process -> assertThat(process.destroyForcibly()).isTrue());
    }

    private static <T> T get(Call<T> call) throws Exception {
        return call.get(30, TimeUnit.SECONDS);
    }

    private static void assertClosed(SharedBuffer buffer, MemorySegment view) {
        assertThat(buffer.isOpen()).isFalse();
        assertThatThrownBy(() -> view.get(LONG, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(buffer::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.getLongVolatile(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.slice(0, 8)).isInstanceOf(IllegalStateException.class);
    }

    private static ErrorCode codeOf(Call<?> call) throws InterruptedException {
        try {
            call.get(30, TimeUnit.SECONDS);
            return null;
        } catch (java.util.concurrent.ExecutionException e) {
            return ((KnittingException) e.getCause()).code();
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    // ---- sharing

    @ParameterizedTest
    @EnumSource
    void share_everyWayToCross_bothSidesSeeTheSameBytes(Kind kind) throws Exception {
        Pool pool = pool(kind);
        HostBuffers books = buffersOf(pool);
        int before = books.liveCount();
        SharedBuffer buffer = pool.allocate(MIB);
        MemorySegment view = buffer.segment();
        view.set(LONG, MIB - 8, 41);

        assertThat(pool.invoke(BufferTasks.BUMP, buffer)).as("the very buffer").isSameAs(buffer);
        assertThat(view.get(LONG, 0)).isEqualTo(1);
        assertThat(view.get(LONG, MIB - 8)).isEqualTo(42);

        Labelled labelled = pool.invoke(BufferTasks.BUMP_LABELLED, new Labelled("a", buffer));
        assertThat(labelled).isEqualTo(new Labelled("a!", buffer));
        SharedBuffer other = pool.allocate(24);
        List<SharedBuffer> all = pool.invoke(BufferTasks.BUMP_ALL, List.of(buffer, other, buffer));
        assertThat(all).containsExactly(buffer, other, buffer);
        assertThat(view.get(LONG, 0)).isEqualTo(4);
        assertThat(other.byteBuffer().getLong(0)).isEqualTo(1);

        SharedBuffer part = pool.invoke(BufferTasks.BUMP, buffer.slice(64, 128).slice(64, 64));
        assertThat(part.size()).isEqualTo(64);
        assertThat(view.get(LONG, 128)).isEqualTo(1);
        assertThat(view.get(LONG, 128 + 56)).isEqualTo(1);
        part.close();
        assertThat(pool.invoke(BufferTasks.HALF, buffer).size()).isEqualTo(MIB / 2);

        if (kind != Kind.DIRECT) {
            assertThat(books.liveCount() - before).isEqualTo(2);
        }
        buffer.close();
        buffer.close();
        assertClosed(buffer, view);
        assertThat(codeOf(pool.submit(BufferTasks.SUM, buffer)))
                .isEqualTo(kind == Kind.THREADS ? ErrorCode.TASK_FAILED : ErrorCode.UNSUPPORTED_PAYLOAD);
        other.close();
        assertThat(books.liveCount()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"PORTABLE", "STEALING"},
            mode = EnumSource.Mode.EXCLUDE)
    void close_pool_closesEveryView(Kind kind) {
        Pool pool = kind.open();
        HostBuffers books = buffersOf(pool);
        int before = books.liveCount();
        SharedBuffer buffer = pool.allocate(MIB);
        MemorySegment view = buffer.segment();
        MemorySegment partView = buffer.slice(8, 8).segment();
        pool.close();
        assertClosed(buffer, view);
        assertThatThrownBy(() -> partView.get(LONG, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(books.liveCount()).isEqualTo(before);
        assertThatThrownBy(() -> pool.allocate(1))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POOL_CLOSED));
        buffer.close();
    }

    @ParameterizedTest
    @EnumSource
    void reuse_freedMemory_isZeroAgain(Kind kind) {
        Pool pool = pool(kind);
        for (int round = 0; round < 3; round++) {
            try (SharedBuffer buffer = pool.allocate(3 * 4096)) {
                assertThat(buffer.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
                buffer.segment().fill((byte) 7);
            }
        }
    }

    @Test
    void atomics_hostAndWorkers_loseNothing() throws Exception {
        Pool pool = pool(Kind.PROCESSES);
        try (SharedBuffer counter = pool.allocate(8)) {
            List<Call<Long>> calls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                calls.add(pool.submit(BufferTasks.ADD_MANY, counter));
            }
            BufferTasks.addMany(counter);
            for (Call<Long> call : calls) {
                get(call);
            }
            assertThat(counter.getLongVolatile(0)).isEqualTo(50_000);
            assertThat(counter.compareAndSetLong(0, 50_000, 7)).isTrue();
            assertThat(counter.compareAndSetLong(0, 50_000, 8)).isFalse();
            assertThat(counter.getAndAddInt(0, 1) + counter.getIntVolatile(0)).isEqualTo(15);
            counter.setIntVolatile(4, -1);
            assertThat(counter.compareAndSetInt(4, -1, 3)).isTrue();
            counter.setLongVolatile(0, 0);
            assertThatThrownBy(() -> counter.getLongVolatile(8)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> counter.slice(4, 5)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> counter.slice(4, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    // ---- envelopes

    @ParameterizedTest
    @EnumSource
    void envelope_headerAndBody_crossTogether(Kind kind) throws Exception {
        Pool pool = pool(kind);
        Request header = new Request("sum", List.of(1, 2));
        for (int length : new int[] {0, 1, 400, 600, 100_000}) {
            byte[] body = new byte[length];
            Envelope<String> reply = pool.invoke(BufferTasks.REPLY, Envelope.of(header, body));
            assertThat(reply.header()).isEqualTo("sum[1, 2]");
            assertThat(reply.bytes()).hasSize(length).startsWith(length == 0 ? new byte[0] : new byte[] {1});
            assertThat(reply.buffer()).isNull();
            reply.close();
        }
        SharedBuffer body = pool.allocate(64);
        Envelope<Request> request = Envelope.of(header, body);
        Envelope<String> reply = pool.invoke(BufferTasks.REPLY, request);
        assertThat(reply.buffer()).isSameAs(body);
        assertThat(body.getLongVolatile(0)).isEqualTo(1);
        assertThat(reply.size()).isEqualTo(64);
        reply.close();
        assertThat(body.isOpen()).isFalse();
        assertThat(codeOf(pool.submit(BufferTasks.REPLY, request)))
                .isEqualTo(kind == Kind.THREADS ? ErrorCode.TASK_FAILED : ErrorCode.UNSUPPORTED_PAYLOAD);
        assertThat(pool.invoke(BufferTasks.COUNT, Envelope.of("four", new byte[3])))
                .isEqualTo(7);
    }

    @Test
    void envelope_noBodyOrTwoOrTooLarge_isRefused() {
        assertThatThrownBy(() -> new Envelope<>("h", null, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Envelope.of("h", (byte[]) null)).isInstanceOf(NullPointerException.class);
        try (Pool pool = Pool.threads(1)
                .copyArguments(true)
                .payload(payload -> payload.maxBytes(1_000))
                .open()) {
            assertThat(pool.invoke(BufferTasks.COUNT, Envelope.of("h", new byte[900])))
                    .isEqualTo(901);
            assertThatThrownBy(() -> pool.invoke(BufferTasks.COUNT, Envelope.of("h", new byte[1_000])))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE));
        }
    }

    // ---- moving

    @ParameterizedTest
    @EnumSource
    void move_viewsCloseAtOnce_resultBringsItBackOrItIsFreed(Kind kind) throws Exception {
        Pool pool = pool(kind);
        HostBuffers books = buffersOf(pool);
        int before = books.liveCount();
        SharedBuffer buffer = pool.allocate(64);
        MemorySegment view = buffer.segment();
        view.set(LONG, 0, 5);
        SharedBuffer moved = buffer.move();
        assertClosed(buffer, view);
        assertThatThrownBy(buffer::move).isInstanceOf(IllegalStateException.class);

        SharedBuffer back = pool.invoke(BufferTasks.BUMP, moved);
        assertThat(back.getLongVolatile(0)).isEqualTo(6);
        assertThat(pool.invoke(BufferTasks.SUM, back)).isEqualTo(7);
        assertThat(books.liveCount()).isEqualTo(before + 1);

        SharedBuffer given = back.move();
        assertThat(pool.invoke(BufferTasks.SUM, given)).isEqualTo(7);
        if (kind == Kind.THREADS) {
            given.close(); // by reference: the object itself, which nobody looks into
        }
        assertThat(given.isOpen()).isFalse();
        assertThat(books.liveCount()).isEqualTo(before);
    }

    @Test
    void move_callThatNeverRuns_freesIt() throws Exception {
        try (Pool pool = processes(1).open()) {
            long pid = pool.invoke(DeathTasks.PID);
            Path mark = directory.resolve("hangs");
            Call<Long> hanging = pool.submit(DeathTasks.MARK_AND_HANG, mark.toString());
            Watch.await("the task to run", () -> Files.exists(mark));
            List<Call<Long>> behind = new ArrayList<>();
            for (int i = 0; i < 100; i++) { // more than a lane takes
                behind.add(pool.submit(BufferTasks.SUM, pool.allocate(8).move()));
            }
            assertThat(buffersOf(pool).liveCount()).isEqualTo(100);
            behind.forEach(call -> call.cancel(true));
            kill(pid);
            assertThat(codeOf(hanging)).isEqualTo(ErrorCode.WORKER_CRASHED);
            Watch.await("all to be freed", () -> buffersOf(pool).liveCount() == 0);
        }
    }

    // ---- results made in place

    @ParameterizedTest
    @EnumSource
    void allocate_inATask_hostHasItWithoutACopy(Kind kind) throws Exception {
        Pool pool = pool(kind);
        HostBuffers books = buffersOf(pool);
        int before = books.liveCount();
        for (long bytes : new long[] {8, 4096, 5 * MIB}) {
            SharedBuffer made = pool.invoke(BufferTasks.MAKE, bytes);
            assertThat(made.size()).isEqualTo(bytes);
            assertThat(made.getLongVolatile(bytes - 8)).isEqualTo(bytes);
            assertThat(pool.invoke(BufferTasks.SUM, made)).isEqualTo(bytes);
            assertThat(books.liveCount()).isEqualTo(before + 1);
            made.close();
        }
        assertThat(pool.invoke(BufferTasks.MAKE_AND_DROP, MIB)).isEqualTo(MIB);
        if (kind != Kind.THREADS && kind != Kind.DIRECT) { // there it is an object like others
            assertThat(books.liveCount()).isEqualTo(before);
        }
        assertThat(codeOf(pool.submit(BufferTasks.MAKE, -1L))).isEqualTo(ErrorCode.TASK_FAILED);
    }

    @Test
    void allocate_outsideAWorker_isPlainMemory() {
        try (SharedBuffer made = BufferTasks.make(64)) {
            assertThat(made.segment().byteSize()).isEqualTo(64);
            try (Pool pool = Pool.threads(1).copyArguments(true).open()) {
                assertThatThrownBy(() -> pool.invoke(BufferTasks.SUM, made))
                        .isInstanceOfSatisfying(
                                KnittingException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD));
            }
        }
        assertThat(TaskContext.inWorker()).isFalse();
    }

    @Test
    void allocate_beyondTheOption_namesIt() {
        Pool pool = pool(Kind.PROCESSES);
        assertThatThrownBy(() -> pool.allocate(16 * MIB + 1))
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ARENA_FULL))
                .hasMessageContaining("payload.buffersBytes");
        assertThatThrownBy(() -> pool.allocate(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pool.invoke(BufferTasks.MAKE, 17 * MIB)).hasMessageContaining("buffersBytes");
        pool.allocate(16 * MIB).close();
        assertThat(pool.invoke(BufferTasks.MAKE_AND_DROP, MIB)).isEqualTo(MIB);
    }

    // ---- the life of a view in a worker

    @Test
    void views_ofAWorkerProcess_dieWithTheCall() throws Exception {
        Pool pool = pool(Kind.PROCESSES);
        try (SharedBuffer buffer = pool.allocate(MIB)) {
            buffer.setLongVolatile(0, 3);
            assertThat(pool.invoke(BufferTasks.KEEP, buffer)).isEqualTo("kept 3");
            assertThat(pool.invoke(BufferTasks.LOOK_AT_KEPT)).isEqualTo("closed, closed, false");
            assertThat(pool.invoke(BufferTasks.ELSEWHERE, buffer)).isEqualTo("wrong thread, 3");
            assertThat(pool.invoke(BufferTasks.LOOK_AT_KEPT)).isEqualTo("closed, closed, false");
            assertThat(get(pool.submit(BufferTasks.LATER, buffer))).isSameAs(buffer);
            assertThat(buffer.getLongVolatile(0)).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PROCESSES", "COPYING_THREADS", "DIRECT"})
    void views_thatATaskReturns_arriveAsCopies(Kind kind) throws Exception {
        Pool pool = pool(kind);
        for (long bytes : new long[] {16, 500, 100_000}) {
            try (SharedBuffer buffer = pool.allocate(bytes)) {
                buffer.segment().fill((byte) 3);
                for (Task<SharedBuffer, MemorySegment> task : List.of(BufferTasks.VIEW, BufferTasks.VIEW_LATER)) {
                    MemorySegment copy = get(pool.submit(task, buffer));
                    assertThat(copy.toArray(ValueLayout.JAVA_BYTE))
                            .hasSize((int) bytes)
                            .containsOnly(3);
                    copy.fill((byte) 4);
                }
                assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
            }
        }
    }

    @Test
    void views_ofACopyingThread_dieWithTheCall() {
        try (Pool pool = Pool.threads(1).copyArguments(true).open();
                SharedBuffer buffer = pool.allocate(64)) {
            assertThat(pool.invoke(BufferTasks.KEEP, buffer)).isEqualTo("kept 0");
            assertThat(pool.invoke(BufferTasks.LOOK_AT_KEPT)).isEqualTo("closed, closed, false");
            assertThat(buffer.isOpen()).isTrue();
        }
    }

    @Test
    void forgotten_bufferAndViews_areFreedByTheCollector() {
        try (Pool pool = Pool.threads(1).open()) {
            MemorySegment view = pool.allocate(64).segment();
            pool.allocate(64);
            Watch.await("the buffer without a view to be freed", () -> {
                System.gc();
                return buffersOf(pool).liveCount() == 1;
            });
            view.set(LONG, 0, 1); // keeps the other one
            assertThat(view.get(LONG, 0)).isEqualTo(1);
        }
    }

    // ---- dead and hostile workers

    @Test
    void kill_workerThatHoldsBuffers_freesWhatItHad() throws Exception {
        Watch watch = Watch.start();
        try (Pool pool = processes(1).open(DeathTasks.PID)) {
            long pid = pool.invoke(DeathTasks.PID);
            Path mark = directory.resolve("runs");
            SharedBuffer shared = pool.allocate(MIB);
            Call<Long> call = pool.submit(BufferTasks.MAKE_AND_HANG, new Labelled(mark.toString(), shared));
            Call<Long> behind = pool.submit(BufferTasks.SUM, pool.allocate(MIB).move());
            Watch.await("the task to run", () -> Files.exists(mark));
            assertThat(buffersOf(pool).liveCount())
                    .as("argument, moved one, its own")
                    .isEqualTo(3);
            shared.close();
            assertThat(buffersOf(pool).liveCount()).as("the call holds it").isEqualTo(3);

            kill(pid);

            assertThat(codeOf(call)).isEqualTo(ErrorCode.WORKER_CRASHED);
            assertThat(get(behind)).as("was not entered: runs elsewhere").isZero();
            assertThat(buffersOf(pool).liveCount()).isZero();
            assertThat(buffersOf(pool).usedBytes()).isZero();
        }
        watch.assertNothingLeft();
    }

    @Test
    void retryOnCrash_argumentIsThereAgain_andTheFirstRunsOwnBufferIsNot() throws Exception {
        Pool pool = pool(Kind.PROCESSES);
        try (SharedBuffer buffer = pool.allocate(8)) {
            assertThat(get(pool.submit(BufferTasks.DIE_ONCE.retryOnCrash(1), new Labelled("", buffer))))
                    .isEqualTo(2);
            assertThat(buffersOf(pool).liveCount()).isEqualTo(1);
        }
    }

    @Test
    void lie_workerNamesWhatItWasNotGiven_isRefusedAndHarmsNobody() throws Exception {
        Pool pool = pool(Kind.PROCESSES);
        try (SharedBuffer others = pool.allocate(8 * 4096);
                SharedBuffer own = pool.allocate(2 * 4096);
                SharedBuffer afterwards = pool.allocate(8 * 4096)) {
            for (String lie : List.of(
                    "-1 0 0",
                    "1 0 0",
                    "99 0 0",
                    "-9223372036854775807 0 0", // another number
                    "0 -4096 0",
                    "0 4096 0",
                    "0 -9223372036854775807 0", // outside
                    "0 0 1",
                    "0 8 -7",
                    "0 0 -8192",
                    "0 0 -8193",
                    "0 0 9223372036854767615")) {
                assertThat(codeOf(pool.submit(BufferTasks.LIE, new Labelled(lie, own))))
                        .as(lie)
                        .isEqualTo(ErrorCode.CORRUPT_PEER);
            }
            assertThat(get(pool.submit(BufferTasks.LIE, new Labelled("0 0 0", own))))
                    .isSameAs(own);
            assertThat(buffersOf(pool).liveCount()).isEqualTo(3);
            assertThat(List.of(others.isOpen(), own.isOpen(), afterwards.isOpen()))
                    .containsOnly(true);
        }
    }

    @Test
    void segmentPerWorker_tasksAllocate_theHostCannotHandOver() throws Exception {
        try (Pool pool = processes(2).segmentPerWorker(true).open()) {
            assertThatThrownBy(() -> pool.allocate(8))
                    .isInstanceOfSatisfying(
                            KnittingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION))
                    .hasMessageContaining("segmentPerWorker");
            SharedBuffer made = pool.invoke(BufferTasks.MAKE, 64L);
            assertThat(made.getLongVolatile(56)).isEqualTo(64);
            assertThat(codeOf(pool.submit(BufferTasks.SUM, made))).isEqualTo(ErrorCode.UNSUPPORTED_PAYLOAD);
            made.close();
        }
    }
}

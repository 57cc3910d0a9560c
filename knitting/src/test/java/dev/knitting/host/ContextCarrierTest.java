package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.knitting.ContextCarrier;
import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.QueuePolicy;
import dev.knitting.Task;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A context, as loggers have one, travels with each call and is gone after it. */
@ParameterizedClass(name = "{0}")
@MethodSource("kinds")
class ContextCarrierTest {
    /** What a logger's diagnostic context is: a map for each thread. */
    static final class Mdc {
        static final ThreadLocal<Map<String, String>> MAP = ThreadLocal.withInitial(LinkedHashMap::new);

        private Mdc() {}

        static void put(String key, String value) {
            MAP.get().put(key, value);
        }
    }

    static final class MdcCarrier implements ContextCarrier {
        public MdcCarrier() {}

        @Override
        public Map<String, String> capture() {
            if (Mdc.MAP.get().containsKey("broken")) {
                throw new IllegalStateException("no context");
            }
            return Mdc.MAP.get();
        }

        @Override
        public void restore(Map<String, String> context) {
            if (context.containsKey("unwanted")) {
                throw new IllegalStateException("not here");
            }
            Mdc.MAP.set(context);
        }

        @Override
        public void clear() {
            Mdc.MAP.remove();
        }
    }

    interface Seen {
        String zero();

        String one(String text);

        String two(String text, int number);

        CompletableFuture<String> later(String text);
    }

    static final class SeenWorker implements Seen {
        public SeenWorker() {}

        @Override
        public String zero() {
            return seen("zero");
        }

        @Override
        public String one(String text) {
            return seen(text);
        }

        @Override
        public String two(String text, int number) {
            return seen(text + number);
        }

        @Override
        public CompletableFuture<String> later(String text) {
            return CompletableFuture.completedFuture(seen(text));
        }
    }

    private static final Task<String, String> SEEN = Task.of(ContextCarrierTest::seen);
    private static final Task<Void, String> SEEN_NOTHING = Task.of(() -> seen("nothing"));
    private static final Task<String, String> FAIL = Task.of(ContextCarrierTest::fail);
    private static final Task<byte[], Integer> SIZE = Task.of(ContextCarrierTest::size);

    private static String seen(String text) {
        Map<String, String> map = new LinkedHashMap<>(Mdc.MAP.get());
        Mdc.put("changed", "in the worker");
        return text + map;
    }

    private static final java.util.concurrent.atomic.AtomicReference<java.util.concurrent.CountDownLatch> GATE =
            new java.util.concurrent.atomic.AtomicReference<>();

    /** Waits in a worker; on the submitting thread answers with what it sees. */
    private static String runBy(Thread submitter) throws InterruptedException {
        if (Thread.currentThread() != submitter) {
            GATE.get().await();
        }
        return Mdc.MAP.get().toString();
    }

    private static String fail(String text) {
        throw new IllegalStateException(seen(text));
    }

    private static int size(byte[] bytes) {
        return bytes.length + Mdc.MAP.get().size();
    }

    record Kind(String name) {
        PoolBuilder builder() {
            PoolBuilder builder = name.equals("processes") ? Pool.processes(1) : Pool.threads(1);
            return builder.copyArguments(name.equals("threads, copies"))
                    .service(Seen.class, SeenWorker.class.getName())
                    .context(MdcCarrier.class);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(new Kind("processes"), new Kind("threads"), new Kind("threads, copies"));
    }

    private static Pool pool;

    @Parameter
    Kind kind;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) {
        pool = kind.builder().open(SEEN);
    }

    @AfterParameterizedClassInvocation
    static void close() {
        pool.close();
    }

    @AfterEach
    void forget() {
        Mdc.MAP.remove();
        assertThat(pool.invoke(SEEN, "after")).as("nothing stays in the worker").isEqualTo("after{}");
    }

    @Test
    void everyKindOfCall_bringsTheContextOfItsThread() {
        Mdc.put("user", "ada");
        Mdc.put("request", "7");
        String context = "{user=ada, request=7}";
        assertThat(pool.invoke(SEEN, "a")).isEqualTo("a" + context);
        assertThat(pool.submit(SEEN, "b").join()).isEqualTo("b" + context);
        assertThat(pool.invoke(SEEN_NOTHING)).isEqualTo("nothing" + context);
        String captured = "c";
        int number = 1;
        assertThat(pool.invoke(() -> seen(captured + number))).isEqualTo("c1" + context);
        assertThat(pool.invoke(() -> seen("d"))).isEqualTo("d" + context);
        assertThat(pool.submitAll(SEEN, List.of("e", "f")))
                .map(CompletableFuture::join)
                .containsExactly("e" + context, "f" + context);
        Seen seen = pool.service(Seen.class);
        assertThat(seen.zero()).isEqualTo("zero" + context);
        assertThat(seen.one("g")).isEqualTo("g" + context);
        assertThat(seen.two("h", 2)).isEqualTo("h2" + context);
        assertThat(seen.later("i").join()).isEqualTo("i" + context);
    }

    @Test
    void submitWhen_bringsTheContextOfTheSubmitter() {
        CompletableFuture<String> argument = new CompletableFuture<>();
        Mdc.put("user", "ada");
        CompletableFuture<String> call = pool.submitWhen(SEEN, argument);
        Mdc.put("user", "grace");
        argument.complete("a");
        assertThat(call.join()).isEqualTo("a{user=ada}");
    }

    @Test
    void workersChanges_areNotSeenByTheHost() {
        Mdc.put("user", "ada");
        pool.invoke(SEEN, "a");
        assertThat(Mdc.MAP.get()).isEqualTo(Map.of("user", "ada"));
    }

    @Test
    void failingTask_hasItAndLeavesNothing() {
        Mdc.put("user", "ada");
        assertThatThrownBy(() -> pool.invoke(FAIL, "x")).hasMessageContaining("x{user=ada}");
        Mdc.MAP.remove();
        assertThat(pool.invoke(SEEN, "y")).isEqualTo("y{}");
    }

    @Test
    void largeArgument_travelsBesideIt() {
        Mdc.put("user", "ada");
        assertThat(pool.invoke(SIZE, new byte[100_000])).isEqualTo(100_001);
    }

    @Test
    void callerThatRunsTheTaskItself_keepsItsContext() throws Exception {
        Mdc.put("user", "ada");
        java.util.concurrent.CountDownLatch gate = new java.util.concurrent.CountDownLatch(1);
        GATE.set(gate);
        try (Pool full = Pool.threads(1)
                .queue(1, QueuePolicy.CALLER_RUNS)
                .context(MdcCarrier.class)
                .open()) {
            Task<Thread, String> runner = Task.of(ContextCarrierTest::runBy);
            CompletableFuture<String> byHost;
            do {
                byHost = full.submit(runner, Thread.currentThread());
            } while (!byHost.isDone());
            gate.countDown();
            assertThat(byHost.join()).startsWith("{user=ada}");
            assertThat(Mdc.MAP.get()).containsEntry("user", "ada");
        }
    }

    // ---- bounds and failures

    @Test
    void tooLarge_failsTheCallByName() {
        Mdc.put("big", "x".repeat(ContextCarrier.MAX_CHARS));
        assertFails(ErrorCode.PAYLOAD_TOO_LARGE, "chars=" + (ContextCarrier.MAX_CHARS + 3), "option=context");
        Mdc.MAP.remove();
        for (int i = 0; i <= ContextCarrier.MAX_ENTRIES; i++) {
            Mdc.put("k" + i, "");
        }
        assertFails(ErrorCode.PAYLOAD_TOO_LARGE, "entries=" + (ContextCarrier.MAX_ENTRIES + 1), "option=context");
    }

    @Test
    void largestAllowed_travels() {
        Mdc.put("big", "x".repeat(ContextCarrier.MAX_CHARS - 3));
        assertThat(pool.invoke(SEEN, "a")).hasSize(ContextCarrier.MAX_CHARS + 4);
    }

    @Test
    void carrierThrows_failsTheCallByName() {
        Mdc.put("broken", "");
        assertFails(ErrorCode.BAD_OPTION, "method=capture", MdcCarrier.class.getName());
        Mdc.MAP.remove();
        Mdc.put("unwanted", "");
        assertFails(ErrorCode.BAD_OPTION, "method=restore");
        Map<String, String> withNull = new HashMap<>();
        withNull.put("key", null);
        Mdc.MAP.set(withNull);
        assertFails(ErrorCode.BAD_OPTION, "method=capture");
    }

    private static void assertFails(ErrorCode code, String... texts) {
        assertThatThrownBy(pool.submit(SEEN, "a")::join)
                .cause()
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(texts);
        assertThatThrownBy(() -> pool.service(Seen.class).zero())
                .isInstanceOfSatisfying(
                        KnittingException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(texts);
    }
}

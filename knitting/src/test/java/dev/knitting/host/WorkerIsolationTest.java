package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.Task;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What host and workers do not share: statics of process workers, and what belongs to the calling thread. */
class WorkerIsolationTest {
    private static final Task<Void, Integer> COUNT = Task.of(WorkerIsolationTest::count);
    private static final Task<Void, Integer> LOOK = Task.of(WorkerIsolationTest::look);
    private static final Task<Void, String> SEEN = Task.of(WorkerIsolationTest::seen);
    private static final Task<Void, Boolean> LOADER = Task.of(WorkerIsolationTest::hasTheLoaderOfTheApplication);

    private static final ThreadLocal<String> LOCAL = ThreadLocal.withInitial(() -> "none");
    private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();
    private static final ScopedValue<String> SCOPED = ScopedValue.newInstance();

    /** Each side has one of its own, unless they share it. */
    private static final AtomicInteger COUNTER = new AtomicInteger(100);

    private static int count() {
        return COUNTER.incrementAndGet();
    }

    private static int look() {
        return COUNTER.get();
    }

    private static String seen() {
        return LOCAL.get() + " " + INHERITABLE.get() + " " + SCOPED.isBound();
    }

    private static boolean hasTheLoaderOfTheApplication() throws ClassNotFoundException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return loader.loadClass(WorkerIsolationTest.class.getName()) == WorkerIsolationTest.class;
    }

    @Test
    void statics_ofProcesses_areFreshAndTheirOwn() {
        COUNTER.set(7); // before the workers are there: they initialise the class themselves
        try (Pool pool = Pool.processes(1).jvm(jvm -> jvm.maxHeap("64m")).open(COUNT, LOOK)) {
            assertThat(pool.invoke(LOOK)).isEqualTo(100);
            assertThat(pool.invoke(COUNT)).isEqualTo(101);
            assertThat(COUNTER).as("the worker's change").hasValue(7);
            COUNTER.set(8);
            assertThat(pool.invoke(COUNT)).as("the host's change").isEqualTo(102);
            pool.recycle();
            assertThat(pool.invoke(COUNT)).as("a new worker").isEqualTo(101);
        }
    }

    @Test
    void statics_ofTwoProcesses_areNotShared() throws Exception {
        try (Pool pool = Pool.processes(2).jvm(jvm -> jvm.maxHeap("64m")).open(COUNT)) {
            TreeSet<Integer> seen = new TreeSet<>();
            int calls = 0;
            for (; calls < 200; calls++) {
                seen.add(pool.submit(COUNT).get());
            }
            // Were there one counter, each call would see another number.
            assertThat(seen.last() - 100)
                    .as("%d calls, whoever ran them", calls)
                    .isEqualTo(seen.size());
        }
    }

    @Test
    void statics_ofThreads_areShared() {
        COUNTER.set(7);
        try (Pool pool = Pool.threads(1).open(COUNT)) {
            assertThat(pool.invoke(COUNT)).isEqualTo(8);
            assertThat(COUNTER).hasValue(8);
        }
    }

    /** Runs with all three kinds of values set, on a thread that nobody else sees. */
    private static <T> T withValues(Callable<T> body) throws Exception {
        try (ExecutorService fresh = Executors.newSingleThreadExecutor()) {
            return fresh.submit(() -> {
                        LOCAL.set("mine");
                        INHERITABLE.set("mine");
                        return ScopedValue.where(SCOPED, "mine").call(body::call);
                    })
                    .get();
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void threadLocalsAndScopedValues_neverCross(Isolation isolation) throws Exception {
        List<String> seen = withValues(() -> {
            // Opened here: the threads of the pool are made by a thread that has values to inherit.
            try (Pool pool =
                    Pool.of(isolation).workers(1).jvm(jvm -> jvm.maxHeap("64m")).open(SEEN)) {
                String invoked = pool.invoke(SEEN);
                String called = pool.submit(SEEN).thenApply(text -> text).join();
                return List.of(invoked, called, pool.invoke(() -> seen()));
            }
        });
        assertThat(seen).containsOnly("none null false");
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void contextClassLoader_findsTheApplication(Isolation isolation) {
        try (Pool pool =
                Pool.of(isolation).workers(1).jvm(jvm -> jvm.maxHeap("64m")).open(LOADER)) {
            assertThat(pool.invoke(LOADER)).isTrue();
        }
    }
}

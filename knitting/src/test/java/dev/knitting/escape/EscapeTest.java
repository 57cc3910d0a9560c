package dev.knitting.escape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.PoolListener;
import dev.knitting.Sandbox;
import dev.knitting.memory.SandboxSupport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tries to get out of a strict sandbox, in as many ways as we know. Each attempt runs twice: in a worker without a
 * sandbox, where it must succeed to count, and in a sandboxed one, where it must not; what was planted is then untouched,
 * and the pool answers.
 */
@Timeout(180)
class EscapeTest {
    /** Fewer that succeed without a sandbox would mean that this machine forbids too much to prove anything. */
    private static final int LEAST_COUNTED = 40;

    @TempDir
    Path directory;

    private static PoolBuilder pool(String name) {
        return Pool.processes(2)
                .name(name)
                .segmentPerWorker(true)
                .register(Targets.class, Escape.class)
                .jvm(jvm -> jvm.maxHeap("48m"));
    }

    @Test
    void strict_everyAttemptThatSucceedsWithoutIt_isRefused_andThePoolWorks() throws Exception {
        assumeTrue("amd64".equals(System.getProperty("os.arch")), "system calls are those of x86-64");
        assumeTrue(SandboxSupport.landlockAbi() >= 4, "needs Landlock ABI 4: has " + SandboxSupport.landlockAbi());
        assumeTrue(SandboxSupport.hasSeccomp(), "needs seccomp filters");
        List<String> counted = new ArrayList<>();
        List<String> vain = new ArrayList<>();
        List<String> escaped = new ArrayList<>();
        try (Plant plant = new Plant(directory);
                Subject control = new Subject(pool("control"));
                Subject strict = new Subject(pool("strict").sandbox(Sandbox.strict()))) {
            for (Escape escape : Escape.values()) {
                String without = attempt(control, escape, plant);
                if (!without.startsWith("ESCAPED")) {
                    vain.add(escape + ": " + without);
                    continue;
                }
                String with = attempt(strict, escape, plant);
                counted.add(escape.name());
                String damage = plant.damage();
                if (!with.startsWith("refused") || !damage.isEmpty()) {
                    escaped.add(escape + ": " + with + " " + damage);
                }
                assertThat(strict.pool.invoke(() -> EscapeTest.twice(21))).isEqualTo(42);
            }
        }
        System.out.println(
                "escape attempts that count: " + counted.size() + "; that fail without a sandbox too: " + vain);
        assertThat(escaped).isEmpty();
        assertThat(counted).hasSizeGreaterThanOrEqualTo(LEAST_COUNTED);
    }

    static int twice(int number) {
        return 2 * number;
    }

    /** What came of it; a worker that became another program has escaped too. */
    private static String attempt(Subject subject, Escape escape, Plant plant) throws IOException {
        Targets targets = plant.fresh(subject.pids.get(0), subject.pids.get(1));
        try {
            return subject.pool.invoke(() -> Escape.run(escape, targets));
        } catch (KnittingException e) {
            return "ESCAPED the worker became something else: " + e.getMessage();
        }
    }

    /** A pool and the process ids of its workers. */
    private static final class Subject implements AutoCloseable, PoolListener {
        final Map<Integer, Long> pids = new ConcurrentHashMap<>();
        final Pool pool;

        Subject(PoolBuilder builder) {
            pool = builder.listener(this).open();
        }

        @Override
        public void workerStarted(int worker, long pid) {
            pids.put(worker, pid);
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}

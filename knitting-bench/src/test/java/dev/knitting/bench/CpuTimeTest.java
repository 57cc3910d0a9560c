package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.bench.peer.ChildJvm;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
    @Test
    void since_busyThread_countsItsTime() throws IOException {
        CpuTime before = CpuTime.of(ProcessHandle.current());
        long used = burn(Duration.ofMillis(100));
        long counted = CpuTime.of(ProcessHandle.current()).since(before);
        assertThat(counted).isGreaterThan(used / 2);
    }

    @Test
    void of_otherProcess_countsItsTime() throws IOException {
        try (ChildJvm child = ChildJvm.start(Burning.class)) {
            long used = Long.parseLong(child.readLine());
            long counted = CpuTime.of(child.process().toHandle()).since(CpuTime.ZERO);
            assertThat(counted).isGreaterThanOrEqualTo(used / 2);
        }
    }

    @Test
    void lines_results_areJsonOrATable() {
        var results = List.of(new IdleBench.Result("knitting-process", 10, 1.5, 0.25));
        assertThat(IdleBench.lines(results, true))
                .containsExactly("{\"bench\":\"idle\",\"pool\":\"knitting-process\",\"seconds\":10.0,"
                        + "\"host_ms_per_s\":1.500,\"workers_ms_per_s\":0.250}");
        assertThat(IdleBench.lines(results, false)).hasSize(2).last().asString().contains("1.500", "0.250");
    }

    /** Returns how much processor time this thread has used meanwhile. */
    private static long burn(Duration duration) {
        var threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        while (threads.getCurrentThreadCpuTime() - start < duration.toNanos()) {
            Thread.onSpinWait();
        }
        return threads.getCurrentThreadCpuTime() - start;
    }

    /** A child that uses some time, says how much, and waits for its parent to end it. */
    static final class Burning {
        public static void main(String[] args) throws InterruptedException {
            ChildJvm.endWithParent();
            System.out.println(burn(Duration.ofMillis(100)));
            Thread.currentThread().join();
        }
    }
}

package dev.knitting.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.OutputListener;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A debugger's way into process workers, and what workers print. */
class DebugWorkersTest {
    private static final Pattern PORT =
            Pattern.compile("\\[debug-(\\d)] a debugger can attach to 127\\.0\\.0\\.1:(\\d+)");
    /** What both sides of a debugger's connection say first. */
    private static final byte[] HANDSHAKE = "JDWP-Handshake".getBytes(StandardCharsets.US_ASCII);

    private static PoolBuilder builder() {
        return Pool.processes(2).name("debug").jvm(j -> j.maxHeap("64m"));
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void debugWorkers_eachPrintsAPort_whereADebuggerIsAnswered_andStartsWithoutATimeout() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        // A start that is bound to be late, were it not for the debugger.
        try (Pool pool =
                builder().debugWorkers().startTimeout(Duration.ofMillis(1)).open()) {
            assertThat(pool.invoke(() -> "served")).isEqualTo("served");
            List<MatchResult> ports = PORT.matcher(printed.toString(StandardCharsets.UTF_8))
                    .results()
                    .toList();
            assertThat(ports).extracting(port -> port.group(1)).containsExactlyInAnyOrder("0", "1");
            assertThat(ports).extracting(port -> port.group(2)).doesNotHaveDuplicates();
            for (MatchResult port : ports) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(2)))) {
                    socket.setSoTimeout(30_000);
                    socket.getOutputStream().write(HANDSHAKE);
                    InputStream in = socket.getInputStream();
                    assertThat(in.readNBytes(HANDSHAKE.length)).isEqualTo(HANDSHAKE);
                }
            }
        } finally {
            System.setErr(before);
        }
    }

    private static long slow(long millis) throws InterruptedException {
        Thread.sleep(millis);
        return millis;
    }

    @Test
    void timeouts_whileDebugging_standStill() {
        Task<Long, Long> slow = Task.of(DebugWorkersTest::slow);
        Task<Long, Long> limited = slow.timeout(Duration.ofMillis(20)).hardTimeout(Duration.ofMillis(20));
        try (Pool pool = builder().workers(1).debugWorkers().open(limited)) {
            assertThat(pool.invoke(limited, 400L)).isEqualTo(400L);
        }
        try (Pool pool = builder().workers(1).open(limited)) {
            assertThatExceptionOfType(KnittingException.class).isThrownBy(() -> pool.invoke(limited, 400L));
        }
    }

    @Test
    void startTimeout_withoutDebugger_isKept() {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(() -> builder().startTimeout(Duration.ofMillis(1)).open())
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.STARTUP_FAILED));
    }

    @Test
    void output_listener_getsEveryLineWithTheWorkersNumber() {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (Pool pool = builder()
                .output((name, worker, line) -> lines.add(name + " " + worker + " " + line))
                .open()) {
            pool.invoke(() -> {
                System.out.println("out");
                System.err.println("err");
                return System.getProperty("knitting.worker");
            });
        }
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst()).matches("debug [01] out");
        assertThat(lines.getLast()).isEqualTo(lines.getFirst().replace("out", "err"));
    }

    @Test
    @ResourceLock(Resources.SYSTEM_OUT)
    void output_inherit_isStandardOutputOfTheHost() {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (Pool pool = builder().output(OutputListener.inherit()).open()) {
            pool.invoke(() -> {
                System.out.println("inherited");
                return true;
            });
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("inherited\n");
    }

    @Test
    void systemIn_ofTheVeryFirstCall_isEmpty() {
        for (int i = 0; i < 3; i++) {
            try (Pool pool = builder().workers(1).open()) {
                assertThat(pool.invoke(() -> System.in.read())).isEqualTo(-1);
            }
        }
    }

    private static void refused(String[] parts, Runnable build) {
        assertThatExceptionOfType(KnittingException.class)
                .isThrownBy(build::run)
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.BAD_OPTION);
                    assertThat(e).hasMessageContainingAll(parts);
                });
    }

    private static String[] parts(String... parts) {
        return parts;
    }

    @Test
    void options_thatCannotWork_areRefusedByName() {
        refused(parts("option=environment", "name=a=b"), () -> builder().environment("a=b", "x"));
        refused(parts("option=environment", "name="), () -> builder().environment("", "x"));
        refused(parts("option=environment", "holds a NUL"), () -> builder().environment("A", "x\0y"));
        refused(parts("option=jvm.systemProperty"), () -> builder().jvm(j -> j.systemProperty("a=b", "x")));
        refused(
                parts("jvm.maxHeap=64m", "jvm.options=[-Xmx1g]"),
                () -> builder().jvm(j -> j.options("-Xmx1g")).options());
        refused(
                parts("debugWorkers=true", "jvm.options=[-agentlib:jdwp"),
                () -> builder()
                        .debugWorkers()
                        .jvm(j -> j.options("-agentlib:jdwp=transport=dt_socket,server=y"))
                        .options());
    }
}

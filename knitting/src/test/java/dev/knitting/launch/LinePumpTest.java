package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LinePumpTest {
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Test
    void offer_listenerKeepsUp_deliversAllInOrder() throws InterruptedException {
        LinePump pump = new LinePump("p", (pool, worker, line) -> lines.add(pool + worker + line));

        for (int i = 0; i < 1000; i++) {
            pump.offer(7, "-" + i);
        }

        for (int i = 0; i < 1000; i++) {
            assertThat(lines.poll(30, TimeUnit.SECONDS)).isEqualTo("p7-" + i);
        }
        pump.close();
    }

    @Test
    @Timeout(30)
    void offer_listenerBlocked_dropsAndSaysSoLater() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        LinePump pump = new LinePump("p", (pool, worker, line) -> {
            awaitUninterruptibly(blocked);
            lines.add(line);
        });
        String line = "x".repeat(1000);

        long start = System.nanoTime();
        for (int i = 0; i < 100_000; i++) {
            pump.offer(0, line);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        blocked.countDown();
        // Room comes back as the listener goes on; then the next line is preceded by the report.
        String seen = "";
        while (!seen.contains("lines dropped")) {
            pump.offer(0, "next");
            String next = lines.poll();
            seen = next == null ? "" : next;
        }

        // 100,000 waits of 20 ms would take half an hour.
        assertThat(took).isLessThan(Duration.ofSeconds(20));
        assertThat(seen).matches("\\[\\d+ lines dropped: .*]");
        pump.close();
    }

    @Test
    void offer_listenerThrows_goesOnWithTheNextLine() throws InterruptedException {
        LinePump pump = new LinePump("p", (pool, worker, line) -> {
            if (line.equals("bad")) {
                throw new IllegalStateException("expected by the test");
            }
            lines.add(line);
        });

        for (String line : List.of("bad", "bad", "good")) {
            pump.offer(0, line);
        }

        assertThat(lines.poll(30, TimeUnit.SECONDS)).isEqualTo("good");
        pump.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

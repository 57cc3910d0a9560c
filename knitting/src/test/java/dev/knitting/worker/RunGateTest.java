package dev.knitting.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RunGateTest {
    private final RunGate gate = new RunGate();

    @Test
    void tryAbandon_nothingRuns_refuses() {
        assertThat(gate.tryAbandon()).isFalse();
        gate.enter();
        assertThat(gate.leave()).isTrue();
        assertThat(gate.tryAbandon()).as("the call has left").isFalse();
        assertThat(gate.isAbandoned()).isFalse();
    }

    @Test
    void leave_abandoned_refusesForEver() {
        gate.enter();
        assertThat(gate.tryAbandon()).isTrue();
        assertThat(gate.tryAbandon()).isFalse();
        assertThat(gate.leave()).isFalse();
        assertThat(gate.tryPass()).isFalse();
        assertThat(gate.leave()).isFalse();
        assertThat(gate.isAbandoned()).isTrue();
    }

    @Test
    void tryAbandon_whileTheCallWrites_refusesUntilItHas() {
        gate.enter();
        assertThat(gate.tryPass()).isTrue();
        assertThat(gate.tryAbandon()).isFalse();
        gate.passed();
        assertThat(gate.tryAbandon()).isTrue();
    }

    @Test
    void leaveAndAbandon_atOnce_exactlyOneOfThem() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        AtomicBoolean abandoned = new AtomicBoolean();
        for (int round = 0; round < 2_000; round++) {
            RunGate each = new RunGate();
            each.enter();
            Thread host = new Thread(() -> {
                await(together);
                abandoned.set(each.tryAbandon());
            });
            host.start();
            await(together);
            boolean left = each.leave();
            host.join();
            assertThat(left).isNotEqualTo(abandoned.get());
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | java.util.concurrent.BrokenBarrierException e) {
            throw new AssertionError(e);
        }
    }
}

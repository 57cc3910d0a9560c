package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Isolation;
import dev.knitting.Pool;
import org.junit.jupiter.api.Test;

/** The ways to ask for a pool. */
class PoolFormsTest {
    @Test
    void processes_noNumber_isHalfTheCores() {
        assertThat(Pool.processes().options().workers())
                .isEqualTo(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
        assertThat(Pool.processes().options().isolation()).isEqualTo(Isolation.PROCESSES);
    }

    @Test
    void of_isolation_isThatOfTheWord() {
        for (Isolation isolation : Isolation.values()) {
            assertThat(Pool.of(isolation).workers(3).options().isolation()).isEqualTo(isolation);
        }
        assertThat(Pool.threads(3).options().workers()).isEqualTo(3);
    }
}

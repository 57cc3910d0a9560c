package dev.knitting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Who shares a mailbox, and what is refused. */
class StealingOptionTest {
    @Test
    void isOn_optionThenEnvironmentThenDefault() {
        assertThat(Stealing.AUTO.isOn(2, true, null)).isTrue();
        assertThat(Stealing.AUTO.isOn(1, true, null)).isFalse();
        assertThat(Stealing.AUTO.isOn(2, false, null)).isFalse();
        assertThat(Stealing.AUTO.isOn(2, true, " ON ")).isTrue();
        assertThat(Stealing.AUTO.isOn(1, true, "on")).as("nobody to share with").isFalse();
        assertThat(Stealing.AUTO.isOn(2, false, "1")).as("a segment each").isFalse();
        assertThat(Stealing.AUTO.isOn(31, true, "true")).isTrue();
        assertThat(Stealing.AUTO.isOn(32, true, "on")).isFalse();
        assertThat(Stealing.AUTO.isOn(2, true, "off")).isFalse();
        assertThat(Stealing.AUTO.isOn(2, false, "on")).as("not possible").isFalse();
        assertThat(Stealing.ON.isOn(1, true, "off")).as("the option wins").isTrue();
        assertThat(Stealing.OFF.isOn(2, true, "on")).isFalse();
        assertThatThrownBy(() -> Stealing.AUTO.isOn(2, true, "perhaps"))
                .hasMessageContaining("KNITTING_STEAL")
                .hasMessageContaining("valid=on, off");
    }

    @Test
    void options_tooManyWorkersOrSeparateSegments_areRefused() {
        PoolBuilder stealing = Pool.processes(2).tuning(tuning -> tuning.stealing(Stealing.ON));
        assertThatThrownBy(() -> stealing.segmentPerWorker(true).options())
                .hasMessageContaining("tuning.stealing=ON")
                .hasMessageContaining("segmentPerWorker=true");
        assertThatThrownBy(() -> Pool.threads(32)
                        .tuning(tuning -> tuning.stealing(Stealing.ON))
                        .options())
                .hasMessageContaining("limit=31");
        assertThat(Pool.threads(31)
                        .tuning(tuning -> tuning.stealing(Stealing.ON))
                        .options()
                        .isStealing())
                .isTrue();
    }

    @Test
    void discipline_unknownName_namesTheValidOnes() {
        assertThat(Discipline.of(" dekker")).isEqualTo(Discipline.DEKKER);
        assertThatThrownBy(() -> Discipline.of("cas-mask"))
                .hasMessageContaining("value=cas-mask")
                .hasMessageContaining("TICKET, DEKKER");
    }
}

package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StatisticsTest {
    private static final long[] HUNDRED = LongStream.rangeClosed(1, 100).toArray();

    @Test
    void percentile_hundredValues_returnsNearestRank() {
        assertThat(Statistics.percentile(HUNDRED, 100, 50)).isEqualTo(50);
        assertThat(Statistics.percentile(HUNDRED, 100, 99)).isEqualTo(99);
        assertThat(Statistics.percentile(HUNDRED, 100, 100)).isEqualTo(100);
        assertThat(Statistics.percentile(HUNDRED, 100, 0.1)).isEqualTo(1);
    }

    @Test
    void percentile_partOfTheArray_ignoresTheRest() {
        assertThat(Statistics.percentile(HUNDRED, 3, 50)).isEqualTo(2);
        assertThat(Statistics.percentile(HUNDRED, 3, 99)).isEqualTo(3);
        assertThat(Statistics.percentile(HUNDRED, 1, 99)).isEqualTo(1);
    }

    @Test
    void percentile_nothingToRank_throws() {
        assertThatThrownBy(() -> Statistics.percentile(HUNDRED, 0, 50)).hasMessageContaining("count=0");
        assertThatThrownBy(() -> Statistics.percentile(HUNDRED, 1, 0)).hasMessageContaining("percent=0.0");
    }

    @Test
    void median_oddAndEvenCounts_returnsTheMiddle() {
        assertThat(Statistics.median(9, 1, 5)).isEqualTo(5);
        assertThat(Statistics.median(9, 1, 5, 6)).isEqualTo(5.5);
        assertThat(Statistics.median(7)).isEqualTo(7);
    }

    @Test
    void median_unsortedArgument_leavesItAlone() {
        double[] values = {3, 1, 2};
        assertThat(Statistics.median(values)).isEqualTo(2);
        assertThat(values).containsExactly(3, 1, 2);
    }
}

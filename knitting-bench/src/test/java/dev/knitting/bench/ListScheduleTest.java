package dev.knitting.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ListScheduleTest {
    @Test
    void makespan_oneWorker_isTheSum() {
        assertThat(ListSchedule.makespan(new long[] {3, 1, 4}, 1)).isEqualTo(8);
    }

    /** The long task comes last: while it runs, the other worker has nothing to do. */
    @Test
    void makespan_longTaskLast_leavesTheOtherWorkerIdle() {
        assertThat(ListSchedule.makespan(new long[] {1, 1, 1, 1, 10}, 2)).isEqualTo(12);
        assertThat(ListSchedule.makespan(new long[] {10, 1, 1, 1, 1}, 2)).isEqualTo(10);
    }

    /** A pool that spreads badly is measured against this: it must lie between the two bounds that anybody can prove. */
    @Test
    void makespan_skewedLengths_liesBetweenTheBounds() {
        long[] lengths = SkewBench.lengths(1);
        long sum = Arrays.stream(lengths).sum();
        long longest = Arrays.stream(lengths).max().orElseThrow();
        assertThat(ListSchedule.makespan(lengths, 2)).isBetween(sum / 2, sum / 2 + longest);
    }

    @Test
    void lengths_eachRound_areSkewedAndTheSameForEverybody() {
        long[] lengths = SkewBench.lengths(1);
        assertThat(SkewBench.lengths(1)).isEqualTo(lengths);
        assertThat(SkewBench.lengths(2)).isNotEqualTo(lengths);
        Arrays.sort(lengths);
        assertThat(lengths[0]).isGreaterThanOrEqualTo(200_000);
        assertThat(lengths[lengths.length / 2]).isLessThan(500_000);
        assertThat(lengths[lengths.length - 1]).isBetween(5_000_000L, 50_000_000L);
    }

    @Test
    void waitFor_anyLength_isNotShorter() {
        for (long nanos : new long[] {0, 50_000, 300_000}) {
            assertThat(SkewBench.waitFor(nanos)).isGreaterThanOrEqualTo(nanos);
        }
    }
}

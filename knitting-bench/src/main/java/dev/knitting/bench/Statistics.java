package dev.knitting.bench;

import java.util.Arrays;

/** Percentiles and medians. */
final class Statistics {
    private Statistics() {}

    /**
     * The smallest value that is not below {@code percent} of all values (nearest rank).
     *
     * @param sorted at least one value, ascending, in the first {@code count} elements
     * @param percent above 0, up to 100
     */
    static long percentile(long[] sorted, int count, double percent) {
        if (count < 1 || !(percent > 0 && percent <= 100)) {
            throw new IllegalArgumentException("no percentile: count=" + count + ", percent=" + percent);
        }
        int rank = (int) Math.ceil(percent / 100 * count);
        return sorted[Math.clamp(rank, 1, count) - 1];
    }

    /**
     * The middle value, or the mean of the two in the middle.
     *
     * @param values at least one, in any order
     */
    static double median(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no median: count=0");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

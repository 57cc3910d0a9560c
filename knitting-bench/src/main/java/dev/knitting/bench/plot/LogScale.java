package dev.knitting.bench.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A logarithmic axis.
 *
 * @param low the smallest value, above 0
 * @param high the largest value, above the smallest
 * @param from where the smallest lies, in pixels
 * @param to where the largest lies
 */
record LogScale(double low, double high, double from, double to) {
    /** Whole decades around these values; a bare range of one point becomes a decade. */
    static LogScale around(List<Double> values, double from, double to) {
        double low = values.stream().mapToDouble(value -> value).min().orElse(1);
        double high = values.stream().mapToDouble(value -> value).max().orElse(10);
        double floor = Math.pow(10, Math.floor(Math.log10(low)));
        double ceiling = Math.pow(10, Math.ceil(Math.log10(high)));
        return new LogScale(floor, ceiling > floor ? ceiling : floor * 10, from, to);
    }

    double at(double value) {
        return from + (to - from) * Math.log(value / low) / Math.log(high / low);
    }

    /** The powers of ten. */
    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        for (double tick = low; tick <= high * 1.001; tick *= 10) {
            ticks.add(tick);
        }
        return ticks;
    }

    /** A time in the unit that suits it. */
    static String time(double nanos) {
        if (nanos < 1e3) {
            return plain(nanos) + " ns";
        }
        return nanos < 1e6 ? plain(nanos / 1e3) + " µs" : plain(nanos / 1e6) + " ms";
    }

    /** At most three significant digits, without needless zeros. */
    static String plain(double value) {
        int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }
}

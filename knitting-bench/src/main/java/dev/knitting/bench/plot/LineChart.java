package dev.knitting.bench.plot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Times over a quantity, both axes logarithmic, a line for each peer.
 *
 * @param title above the plot
 * @param xTitle what grows to the right
 * @param series peer to quantity to nanoseconds
 */
record LineChart(String title, String xTitle, Map<String, SortedMap<Double, Double>> series) {
    private static final int WIDTH = 820;
    private static final int HEIGHT = 400;
    private static final int LEFT = 70;
    private static final int RIGHT = 640;
    private static final int TOP = 44;
    private static final int BOTTOM = 350;
    private static final double LEGEND_STEP = 19;

    String svg() {
        TreeMap<Double, Double> xs = new TreeMap<>();
        List<Double> ys = new ArrayList<>();
        series.values().forEach(points -> {
            xs.putAll(points);
            ys.addAll(points.values());
        });
        LogScale x = new LogScale(xs.firstKey(), Math.max(xs.lastKey(), xs.firstKey() * 2), LEFT + 10, RIGHT - 10);
        LogScale y = LogScale.around(ys, BOTTOM, TOP);
        SvgDocument svg = new SvgDocument(WIDTH, HEIGHT, title);
        for (double tick : y.ticks()) {
            svg.grid(LEFT, y.at(tick), RIGHT, y.at(tick));
            svg.text(LEFT - 8, y.at(tick) + 4, "tick", "end", LogScale.time(tick));
        }
        for (double tick : xs.keySet()) {
            svg.grid(x.at(tick), TOP, x.at(tick), BOTTOM);
            svg.text(x.at(tick), BOTTOM + 18, "tick", "middle", quantity(tick));
        }
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 38, "tick", "middle", xTitle);
        series.forEach((peer, points) -> draw(svg, peer, points, x, y));
        legend(svg);
        return svg.end();
    }

    private static void draw(SvgDocument svg, String peer, SortedMap<Double, Double> points, LogScale x, LogScale y) {
        Look look = Look.of(peer);
        StringBuilder path = new StringBuilder();
        points.forEach((quantity, nanos) -> path.append(SvgDocument.number(x.at(quantity)))
                .append(',')
                .append(SvgDocument.number(y.at(nanos)))
                .append(' '));
        svg.line(path.toString().strip(), look.color(), Look.isOwn(peer) ? "line own" : "line", look.dashes());
        points.forEach((quantity, nanos) -> svg.marker(x.at(quantity), y.at(nanos), look.shape(), look.color()));
    }

    /** In the order of the lines' right ends, the slowest on top. */
    private void legend(SvgDocument svg) {
        List<Map.Entry<String, SortedMap<Double, Double>>> order = new ArrayList<>(series.entrySet());
        order.sort(Comparator.comparingDouble((Map.Entry<String, SortedMap<Double, Double>> each) ->
                        each.getValue().sequencedValues().getLast())
                .reversed());
        double y = TOP + 8;
        for (Map.Entry<String, SortedMap<Double, Double>> each : order) {
            String peer = each.getKey();
            Look look = Look.of(peer);
            String points = String.format(Locale.ROOT, "%d,%.1f %d,%.1f", RIGHT + 16, y, RIGHT + 44, y);
            svg.line(points, look.color(), Look.isOwn(peer) ? "line own" : "line", look.dashes());
            svg.marker(RIGHT + 30, y, look.shape(), look.color());
            svg.text(RIGHT + 52, y + 4, Look.isOwn(peer) ? "strong" : "tick", "start", peer);
            y += LEGEND_STEP;
        }
    }

    /** 1024 and its powers as bytes are written, and everything else plainly. */
    private static String quantity(double value) {
        if (value >= 1 << 20 && value % (1 << 20) == 0) {
            return LogScale.plain(value / (1 << 20)) + " Mi";
        }
        return value >= 1 << 10 && value % (1 << 10) == 0
                ? LogScale.plain(value / (1 << 10)) + " Ki"
                : LogScale.plain(value);
    }
}

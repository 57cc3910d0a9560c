package dev.knitting.bench.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One time for each peer, on a logarithmic axis.
 *
 * @param title above the plot
 * @param bars peer to nanoseconds, from top to bottom
 */
record BarChart(String title, Map<String, Double> bars) {
    private static final int WIDTH = 820;
    private static final int LEFT = 150;
    private static final int RIGHT = 740;
    private static final int TOP = 44;
    private static final int STEP = 24;
    private static final int THICKNESS = 16;

    String svg() {
        int bottom = TOP + STEP * bars.size();
        LogScale x = LogScale.around(new ArrayList<>(bars.values()), LEFT, RIGHT);
        SvgDocument svg = new SvgDocument(WIDTH, bottom + 34, title);
        for (double tick : x.ticks()) {
            svg.grid(x.at(tick), TOP, x.at(tick), bottom);
            svg.text(x.at(tick), bottom + 18, "tick", "middle", LogScale.time(tick));
        }
        double y = TOP;
        for (Map.Entry<String, Double> bar : List.copyOf(bars.entrySet())) {
            String peer = bar.getKey();
            double end = Math.max(x.at(bar.getValue()), LEFT + 2);
            svg.bar(
                    LEFT,
                    y + (STEP - THICKNESS) / 2.0,
                    end - LEFT,
                    THICKNESS,
                    Look.of(peer).color());
            String style = Look.isOwn(peer) ? "strong" : "tick";
            svg.text(LEFT - 8, y + STEP / 2.0 + 4, style, "end", peer);
            svg.text(end + 6, y + STEP / 2.0 + 4, style, "start", LogScale.time(bar.getValue()));
            y += STEP;
        }
        return svg.end();
    }
}

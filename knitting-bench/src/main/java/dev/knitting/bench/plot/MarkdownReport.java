package dev.knitting.bench.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All results as tables. */
final class MarkdownReport {
    private static final Map<String, String> OTHERS = titles();

    private final List<JsonLine> lines;
    private final StringBuilder text = new StringBuilder();

    MarkdownReport(List<JsonLine> lines) {
        this.lines = lines;
    }

    private static Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        titles.put("park", "A lone call to a worker that sleeps");
        titles.put("callers", "Many callers");
        titles.put("workers", "More workers");
        titles.put("skew", "Tasks of very unequal length");
        titles.put("startup", "Start of a process pool");
        titles.put("idle", "Processor time of idle pools");
        return titles;
    }

    String text() {
        text.append("# Results of a run\n\nWritten by `knit bench --plot`; do not edit.\n");
        facts();
        roundTrips("process", "Another process");
        roundTrips("thread", "Another thread");
        limits();
        OTHERS.forEach((bench, title) -> fields(bench, title));
        return text.toString();
    }

    /** What is known of the run, and what was typed. */
    private void facts() {
        for (JsonLine line : of("meta")) {
            line.fields().forEach((name, value) -> {
                if (!name.equals("bench")) {
                    text.append("\n- ").append(name).append(": ").append(value);
                }
            });
            text.append('\n');
        }
        List<JsonLine> commands = of("command");
        if (!commands.isEmpty()) {
            text.append("\n```sh\n");
            commands.forEach(line -> text.append(line.text("command")).append('\n'));
            text.append("```\n");
        }
    }

    private List<JsonLine> of(String bench) {
        return lines.stream().filter(line -> line.bench().equals(bench)).toList();
    }

    private void roundTrips(String kind, String title) {
        List<JsonLine> results = of("round-trip").stream()
                .filter(line -> line.text("kind").equals(kind))
                .toList();
        if (!results.isEmpty()) {
            matrix(title + ": microseconds per call (median)", results, "per_call_p50_ns", 1e-3);
            matrix(title + ": times the limit of the same moment", results, "x_limit", 1);
        }
    }

    private void matrix(String title, List<JsonLine> results, String field, double factor) {
        Set<String> peers = new LinkedHashSet<>();
        Map<String, Map<String, String>> rows = new LinkedHashMap<>();
        for (JsonLine line : results) {
            peers.add(line.text("peer"));
            rows.computeIfAbsent(line.text("op") + " / " + line.text("batch"), row -> new LinkedHashMap<>())
                    .put(line.text("peer"), LogScale.plain(line.number(field) * factor));
        }
        List<String> head = new ArrayList<>(List.of("op / batch"));
        head.addAll(peers);
        begin(title, head);
        rows.forEach((row, values) -> {
            List<String> cells = new ArrayList<>(List.of(row));
            peers.forEach(peer -> cells.add(values.getOrDefault(peer, "-")));
            row(cells);
        });
    }

    private void limits() {
        List<JsonLine> results = of("round-trip").stream()
                .filter(line -> line.text("kind").equals("limit"))
                .toList();
        if (!results.isEmpty()) {
            begin("The limits", List.of("limit", "p50 µs", "p99 µs"));
            results.forEach(line -> row(List.of(
                    line.text("peer"),
                    LogScale.plain(line.number("p50_ns") / 1e3),
                    LogScale.plain(line.number("p99_ns") / 1e3))));
        }
    }

    /** Whatever the lines have, in their order. */
    private void fields(String bench, String title) {
        List<JsonLine> results = of(bench);
        if (results.isEmpty()) {
            return;
        }
        List<String> names = new ArrayList<>(results.getFirst().fields().keySet());
        names.remove("bench");
        begin(title, names);
        results.forEach(line -> row(names.stream().map(line::text).toList()));
    }

    private void begin(String title, List<String> head) {
        text.append("\n## ").append(title).append("\n\n");
        row(head);
        row(head.stream().map(column -> "---").toList());
    }

    private void row(List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}

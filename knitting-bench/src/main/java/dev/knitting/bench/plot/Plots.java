package dev.knitting.bench.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Turns a file of results into plots and tables. */
public final class Plots {
    private static final Map<String, Double> PAYLOADS =
            Map.of("bytes8", 8.0, "bytes1k", 1024.0, "bytes64k", 65536.0, "bytes1m", 1048576.0);

    private final List<JsonLine> lines;
    private final Path directory;
    private final List<Path> written = new ArrayList<>();

    private Plots(List<JsonLine> lines, Path directory) {
        this.lines = lines;
        this.directory = directory;
    }

    /**
     * Writes a plot for each aspect that the results show, and all of them as tables.
     *
     * @param results a file of JSON lines, as {@code bench --json} prints them; several runs may follow each other
     * @param directory where to write; created if it is not there
     * @return the files written
     * @throws IllegalArgumentException if a line is no result
     * @throws IOException if a file cannot be read or written
     */
    public static List<Path> write(Path results, Path directory) throws IOException {
        List<JsonLine> lines = Files.readAllLines(results).stream()
                .filter(line -> !line.isBlank())
                .map(JsonLine::parse)
                .toList();
        Files.createDirectories(directory);
        return new Plots(lines, directory).writeAll();
    }

    private List<Path> writeAll() throws IOException {
        bars("inc-sync", "One blocking call, a long (median)", line -> isRoundTrip(line, "inc-sync"));
        bars(
                "park",
                "A lone call to a worker that sleeps (median)",
                line -> line.bench().equals("park"));
        for (String op : List.of("inc", "bytes8", "bytes1k", "bytes64k", "bytes1m", "order")) {
            batches(op, "process");
            batches(op, "thread");
        }
        payloads();
        callers();
        workers();
        write("results.md", new MarkdownReport(lines).text());
        return written;
    }

    private static boolean isRoundTrip(JsonLine line, String op) {
        return line.bench().equals("round-trip") && line.text("op").equals(op);
    }

    private void bars(String name, String title, Predicate<JsonLine> filter) throws IOException {
        Map<String, Double> bars = new LinkedHashMap<>();
        lines.stream().filter(filter).forEach(line -> bars.put(line.text("peer"), line.number("p50_ns")));
        if (!bars.isEmpty()) {
            write(name + ".svg", new BarChart(title, bars).svg());
        }
    }

    private void batches(String op, String kind) throws IOException {
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        lines.stream()
                .filter(line -> isRoundTrip(line, op) && line.text("kind").equals(kind))
                .forEach(line -> add(series, line, line.number("batch"), line.number("per_call_p50_ns")));
        lineChart(op + "-" + kind, "Time per call, " + op + ", another " + kind, "calls in a batch", series);
    }

    /** Calls one at a time. */
    private void payloads() throws IOException {
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        PAYLOADS.forEach((op, bytes) -> lines.stream()
                .filter(line -> isRoundTrip(line, op)
                        && line.number("batch") == 1
                        && line.text("kind").equals("process"))
                .forEach(line -> add(series, line, bytes, line.number("p50_ns"))));
        lineChart("payload", "Time of one call by size, another process", "bytes each way", series);
    }

    private void callers() throws IOException {
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        lines.stream()
                .filter(line -> line.bench().equals("callers") && line.number("batch") == 100)
                .forEach(line -> add(series, line, line.number("callers"), 1e9 / line.number("calls_per_s")));
        lineChart("callers", "Time per call of all callers together, batches of 100", "callers", series);
    }

    private void workers() throws IOException {
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        lines.stream()
                .filter(line -> line.bench().equals("workers") && line.number("task_ns") > 0)
                .forEach(line -> add(series, line, line.number("workers"), 1e9 / line.number("calls_per_s")));
        lineChart("workers", "Time per call, tasks of 20 µs", "workers", series);
    }

    private static void add(Map<String, SortedMap<Double, Double>> series, JsonLine line, double x, double nanos) {
        series.computeIfAbsent(line.text("peer"), peer -> new TreeMap<>()).put(x, nanos);
    }

    /** A line needs two points. */
    private void lineChart(String name, String title, String xTitle, Map<String, SortedMap<Double, Double>> series)
            throws IOException {
        series.values().removeIf(points -> points.size() < 2);
        if (!series.isEmpty()) {
            write(name + ".svg", new LineChart(title, xTitle, series).svg());
        }
    }

    private void write(String name, String content) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, content);
        written.add(file);
    }
}

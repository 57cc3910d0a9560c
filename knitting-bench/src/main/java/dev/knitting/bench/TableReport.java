package dev.knitting.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Results as aligned text for people. */
final class TableReport {
    private static final List<String> HEAD =
            List.of("op / batch", "peer", "kind", "p50 us", "p99 us", "per call us", "limit us", "x limit", "n");
    private static final int TEXT_COLUMNS = 3;

    private TableReport() {}

    /** The lines of the table; the operation is named in the first line of each group. */
    static List<String> lines(List<CaseResult> results) {
        List<List<String>> rows = new ArrayList<>(List.of(HEAD));
        String before = "";
        for (CaseResult result : results) {
            String group = result.op().label() + " / " + result.batch();
            if (!group.equals(before) && !before.isEmpty()) {
                rows.add(List.of());
            }
            rows.add(row(group.equals(before) ? "" : group, result));
            before = group;
        }
        return align(rows);
    }

    private static List<String> row(String group, CaseResult result) {
        return List.of(
                group,
                result.peer(),
                result.kind().label(),
                micros(result.p50Nanos()),
                micros(result.p99Nanos()),
                micros(result.perCallNanos()),
                micros(result.limitNanos()),
                significant(result.timesLimit()),
                Long.toString(result.count()));
    }

    private static String micros(double nanos) {
        return significant(nanos / 1000);
    }

    /** At least three significant digits. */
    static String significant(double value) {
        String format = value < 1 ? "%.3f" : value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
        return String.format(Locale.ROOT, format, value);
    }

    /** Texts to the left, numbers to the right; an empty row stays empty. */
    static List<String> align(List<List<String>> rows) {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>(rows.size());
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                String pad = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : "  ").append(i < TEXT_COLUMNS ? row.get(i) + pad : pad + row.get(i));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}

package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code docs/api-coverage.md}: each promise has a test that exists, or says why not. */
class ApiCoverageTest {
    private static final Pattern ROW = Pattern.compile("\\| ([A-Z])(\\d\\d) \\|(.*)\\|(.*)\\|");
    /** Rows of each table: none is lost unnoticed. */
    private static final Map<String, Integer> COUNTS = new LinkedHashMap<>();

    static {
        COUNTS.put("F", 7);
        COUNTS.put("T", 25);
        COUNTS.put("C", 33);
        COUNTS.put("I", 7);
        COUNTS.put("P", 20);
        COUNTS.put("S", 21);
        COUNTS.put("O", 9);
        COUNTS.put("K", 9);
        COUNTS.put("H", 7);
    }

    private record Row(String table, int number, String promise, String test) {
        @Override
        public String toString() {
            return "%s%02d".formatted(table, number);
        }
    }

    static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Checkout.ROOT.resolve("docs/api-coverage.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.add(new Row(
                        row.group(1),
                        Integer.parseInt(row.group(2)),
                        row.group(3).strip(),
                        row.group(4).strip()));
            }
        }
        return rows;
    }

    @Test
    void rows_eachTable_areNumberedWithoutAGap() throws IOException {
        List<String> expected = new ArrayList<>();
        COUNTS.forEach((table, count) -> {
            for (int number = 1; number <= count; number++) {
                expected.add("%s%02d".formatted(table, number));
            }
        });
        assertThat(rows()).extracting(Row::toString).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void row_any_namesTestsThatExistOrSaysWhyNot(Row row) throws IOException {
        assertThat(row.promise).isNotEmpty();
        List<NamedCode> tests = NamedCode.in(row.test);
        if (tests.isEmpty()) {
            assertThat(row.test).as("a test or an excuse").matches(NamedCode::isExcuse);
        }
        for (NamedCode name : tests) {
            name.assertIsTest();
        }
    }
}

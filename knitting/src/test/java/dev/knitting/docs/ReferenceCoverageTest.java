package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code docs/reference-coverage.md} has every row of the reference once, and names only what exists. */
class ReferenceCoverageTest {
    private static final Path DOCUMENT = Checkout.ROOT.resolve("docs/reference-coverage.md");
    private static final Pattern ROW = Pattern.compile("\\| ([ABC]\\d\\d) \\|(.*)\\|(.*)\\|(.*)\\|");

    /** One line of the tables; {@code test} may be an excuse too. */
    private record Row(String id, String what, String answer, String test) {}

    static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.add(new Row(
                        row.group(1),
                        row.group(2).strip(),
                        row.group(3).strip(),
                        row.group(4).strip()));
            }
        }
        return rows;
    }

    @Test
    void rows_allTables_areThoseOfTheReferenceEachOnce() throws IOException {
        assertThat(rows()).extracting(Row::id).containsExactlyElementsOf(expectedIds());
    }

    private static List<String> expectedIds() {
        List<String> ids = new ArrayList<>();
        addIds(ids, "A", 60);
        addIds(ids, "B", 31);
        addIds(ids, "C", 27);
        return ids;
    }

    private static void addIds(List<String> ids, String letter, int count) {
        for (int number = 1; number <= count; number++) {
            ids.add("%s%02d".formatted(letter, number));
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void row_any_hasAnAnswerAndNamesWhatExists(Row row) throws Exception {
        assertThat(row.what()).isNotEmpty();
        List<NamedCode> classes = NamedCode.in(row.answer());
        List<NamedCode> tests = NamedCode.in(row.test());
        if (NamedCode.isExcuse(row.answer())) {
            return;
        }
        assertThat(classes).as("answer of %s: a class or an excuse", row.id()).isNotEmpty();
        for (NamedCode name : classes) {
            name.assertExists();
        }
        if (tests.isEmpty()) {
            assertThat(row.test())
                    .as("test of %s: a test or an excuse", row.id())
                    .matches(NamedCode::isExcuse);
        }
        for (NamedCode name : tests) {
            name.assertIsTest();
        }
    }
}

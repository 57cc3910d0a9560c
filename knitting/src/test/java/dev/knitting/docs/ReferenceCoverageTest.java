package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** {@code docs/reference-coverage.md} has every row of the reference once, and names only what exists. */
class ReferenceCoverageTest {
    private static final Path DOCUMENT = Checkout.ROOT.resolve("docs/reference-coverage.md");
    private static final Pattern ROW = Pattern.compile("\\| ([ABC]\\d\\d) \\|(.*)\\|(.*)\\|(.*)\\|");
    private static final Pattern NAME = Pattern.compile("`(dev\\.knitting\\.[\\w.$]+)(?:#(\\w+))?`");
    private static final Pattern EXCUSE = Pattern.compile("(later \\([^)]+\\)|not applicable: \\w.*)");

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
        List<Matcher> classes = names(row.answer());
        List<Matcher> tests = names(row.test());
        if (EXCUSE.matcher(row.answer()).matches()) {
            return;
        }
        assertThat(classes).as("answer of %s: a class or an excuse", row.id()).isNotEmpty();
        for (Matcher name : classes) {
            assertExists(name.group(1), name.group(2), false);
        }
        if (tests.isEmpty()) {
            assertThat(row.test())
                    .as("test of %s: a test or an excuse", row.id())
                    .matches(EXCUSE);
        }
        for (Matcher name : tests) {
            assertThat(name.group(2)).as("%s names a test method", row.id()).isNotNull();
            assertExists(name.group(1), name.group(2), true);
        }
    }

    private static List<Matcher> names(String cell) {
        List<Matcher> found = new ArrayList<>();
        Matcher matcher = NAME.matcher(cell);
        for (int from = 0; matcher.find(from); from = matcher.end()) {
            Matcher one = NAME.matcher(cell);
            one.find(from);
            found.add(one);
        }
        return found;
    }

    private static void assertExists(String className, String member, boolean isTest) throws IOException {
        Class<?> type;
        try {
            type = Class.forName(className, false, ReferenceCoverageTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            assertSourceExists(className, member);
            return;
        }
        if (member != null) {
            assertThat(type.getDeclaredMethods())
                    .as("%s#%s", className, member)
                    .anyMatch(method -> method.getName().equals(member) && (!isTest || isTest(method)));
        }
    }

    private static boolean isTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class);
    }

    /** A class of another module of this project, which the tests of this one cannot load. */
    private static void assertSourceExists(String className, String member) throws IOException {
        String file = className.replace('.', '/') + ".java";
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Checkout.ROOT)) {
            modules.flatMap(module -> Stream.of(module.resolve("src/main/java"), module.resolve("src/test/java")))
                    .map(folder -> folder.resolve(file))
                    .filter(Files::isRegularFile)
                    .forEach(sources::add);
        }
        assertThat(sources).as("a class or a source of %s", className).isNotEmpty();
        if (member != null) {
            assertThat(Files.readString(sources.get(0))).contains(" " + member + "(");
        }
    }
}

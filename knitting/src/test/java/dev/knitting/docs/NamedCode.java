package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A class or method that a cell of a coverage table names, as {@code `dev.knitting.Type#method`}.
 *
 * @param type binary name
 * @param member name of a method, or null
 */
record NamedCode(String type, @Nullable String member) {
    private static final Pattern NAME = Pattern.compile("`(dev\\.knitting\\.[\\w.$]+)(?:#(\\w+))?`");
    private static final Pattern EXCUSE = Pattern.compile("(later \\([^)]+\\)|not applicable: \\w.*)");

    /** All that a cell names. */
    static List<NamedCode> in(String cell) {
        return NAME.matcher(cell)
                .results()
                .map(name -> new NamedCode(name.group(1), name.group(2)))
                .toList();
    }

    /** Whether a cell says in the agreed form why it names nothing. */
    static boolean isExcuse(String cell) {
        return EXCUSE.matcher(cell).matches();
    }

    void assertExists() throws IOException {
        assertExists(false);
    }

    void assertIsTest() throws IOException {
        assertThat(member).as("%s names a test method", this).isNotNull();
        assertExists(true);
    }

    private void assertExists(boolean isTest) throws IOException {
        Class<?> loaded;
        try {
            loaded = Class.forName(type, false, NamedCode.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            assertSourceExists();
            return;
        }
        if (member != null) {
            assertThat(loaded.getDeclaredMethods())
                    .as("%s#%s", type, member)
                    .anyMatch(method -> method.getName().equals(member) && (!isTest || isTest(method)));
        }
    }

    private static boolean isTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class);
    }

    /** A class of another module of this project, which the tests of this one cannot load. */
    private void assertSourceExists() throws IOException {
        String file = type.replace('.', '/') + ".java";
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Checkout.ROOT)) {
            modules.flatMap(module -> Stream.of(module.resolve("src/main/java"), module.resolve("src/test/java")))
                    .map(folder -> folder.resolve(file))
                    .filter(Files::isRegularFile)
                    .forEach(sources::add);
        }
        assertThat(sources).as("a class or a source of %s", type).isNotEmpty();
        if (member != null) {
            assertThat(Files.readString(sources.get(0))).contains(" " + member + "(");
        }
    }
}

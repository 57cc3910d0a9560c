package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every ordered pair has a name, a releasing and an acquiring site in the sources, and a row in the memory model. */
class OrderingEdgesTest {
    private static final Path SOURCES = Checkout.ROOT.resolve("knitting/src/main/java");
    private static final Pattern SITE = Pattern.compile("\\[([a-z-]+): (release|acquire)]");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| \\[([a-z-]+)] \\|");

    private static Set<String> sites(String mode) throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            for (Path source : sources) {
                SITE.matcher(Files.readString(source))
                        .results()
                        .filter(site -> site.group(2).equals(mode))
                        .forEach(site -> names.add(site.group(1)));
            }
        }
        return names;
    }

    private static Set<String> documented() throws IOException {
        String text = Files.readString(Checkout.ROOT.resolve("docs/memory-model.md"));
        return ROW.matcher(text)
                .results()
                .map((MatchResult row) -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void edges_each_haveARelease() throws IOException {
        assertThat(sites("release")).isNotEmpty().isEqualTo(documented());
    }

    @Test
    void edges_each_haveAnAcquire() throws IOException {
        assertThat(sites("acquire")).isNotEmpty().isEqualTo(documented());
    }
}

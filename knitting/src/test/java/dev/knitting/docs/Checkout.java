package dev.knitting.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The checkout that the tests run in, found upwards from the working directory. */
final class Checkout {
    static final Path ROOT = find();

    private Checkout() {}

    private static Path find() {
        Path start = Path.of(System.getProperty("user.dir")).toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("docs/reference-coverage.md"))) {
                return at;
            }
        }
        throw new IllegalStateException("no checkout with docs/reference-coverage.md above " + start);
    }

    /** The documents of the root and of {@code docs}, in a fixed order. */
    static List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            Stream.concat(root, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .forEach(found::add);
        }
        return found;
    }
}

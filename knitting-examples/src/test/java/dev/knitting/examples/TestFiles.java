package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the tests find real files. Maven runs them in the module's folder. */
final class TestFiles {
    /** Documents of the project's own making. */
    static final Path SAMPLES = Path.of("../samples");

    private TestFiles() {}

    /**
     * Documents made by others, beside the checkout; not part of the project.
     *
     * @return at least one; the calling test is skipped where there are none
     */
    static List<Path> documentsOfOthers() throws IOException {
        Path folder = Path.of("../../shared/data/pdf");
        assumeThat(folder).isDirectory();
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> documents = files.filter(file -> file.toString().endsWith(".pdf"))
                    .sorted()
                    .toList();
            assertThat(documents).isNotEmpty();
            return documents;
        }
    }
}

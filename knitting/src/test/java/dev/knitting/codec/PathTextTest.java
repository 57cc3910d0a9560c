package dev.knitting.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** In a JVM that names files in UTF-8; what one without a locale does is tested by starting one ({@code start}). */
class PathTextTest {
    @Test
    void of_bytesThatAreNoText_becomesReplacements_withTheOtherNamesIntact() {
        Path path = Path.of(URI.create("file:///a%20b/%C3%A9%FF/c"));

        assertThat(PathText.of(path)).isEqualTo("/a b/é\uFFFD/c");
        assertThat(PathText.of(Path.of("/").relativize(path))).isEqualTo("a b/é\uFFFD/c");
        assertThat(PathText.of(Path.of("\uFFFD/x"))).isEqualTo("\uFFFD/x");
    }

    @Test
    void parse_anyText_isThatPath_orRefused() {
        assertThat(PathText.parse("/é/b")).isEqualTo(Path.of("/é/b"));
        assertThat(PathText.parse("é/b")).isEqualTo(Path.of("é/b"));
        assertThatExceptionOfType(InvalidPathException.class).isThrownBy(() -> PathText.parse("a\0b"));
    }
}

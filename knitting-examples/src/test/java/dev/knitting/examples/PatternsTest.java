package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;

/** Matches, groups, and lines that are none. The line that never ends is for whole runs of the command. */
final class PatternsTest {
    @Test
    void find_match_hasPlaceAndGroups() {
        assertThat(Patterns.find("(\\w+)@(\\w+)\tmail knit@purl today"))
                .isEqualTo(new Patterns.Found(5, "knit@purl", List.of("knit", "purl")));
    }

    @Test
    void find_groupThatTookNoPart_isNull() {
        assertThat(Patterns.find("a|(b)\ta")).isEqualTo(new Patterns.Found(0, "a", Arrays.asList((String) null)));
    }

    @Test
    void find_noMatch_saysSo() {
        assertThat(Patterns.find("cable\tgarter")).isEqualTo(new Patterns.Found(-1, null, List.of()));
    }

    @Test
    void find_textWithTabs_belongsToTheText() {
        assertThat(Patterns.find("b\ta\tb").start()).isEqualTo(2);
    }

    @Test
    void find_noExpressionOrNoTab_throws() {
        assertThatThrownBy(() -> Patterns.find("(unclosed\tanything")).isInstanceOf(PatternSyntaxException.class);
        assertThatThrownBy(() -> Patterns.find("no tab here")).hasMessageContaining("no tab");
    }

    @Test
    void find_samples_areThoseOfTheGenerator() throws IOException {
        assertThat(Files.readAllLines(TestFiles.SAMPLES.resolve("patterns.txt")))
                .isEqualTo(SamplesGenerator.PATTERNS);
    }
}

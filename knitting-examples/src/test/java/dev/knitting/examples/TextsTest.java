package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Counting at the edges. */
final class TextsTest {
    @Test
    void count_emptyText_isAllZero() {
        assertThat(Texts.count("")).isEqualTo(new Texts.Count(0, 0, 0));
    }

    @Test
    void count_lastLineWithoutBreak_countsIt() {
        assertThat(Texts.count(" one\ntwo  three")).isEqualTo(new Texts.Count(2, 3, 15));
    }

    @Test
    void count_surrogatePair_isOneCharacter() {
        assertThat(Texts.count("\uD83E\uDDF6").characters()).isEqualTo(1);
    }

    @Test
    void count_sampleFile_countsIt() throws IOException {
        String text = Files.readString(TestFiles.SAMPLES.resolve("plain.txt"));
        assertThat(Texts.count(text)).isEqualTo(new Texts.Count(2, 7, 35));
    }
}

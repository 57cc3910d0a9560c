package dev.knitting.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LineSplitterTest {
    private static List<String> split(byte[] bytes, int step) {
        List<String> lines = new ArrayList<>();
        LineSplitter splitter = new LineSplitter(lines::add);
        byte[] buffer = new byte[step];
        for (int at = 0; at < bytes.length; at += step) {
            int count = Math.min(step, bytes.length - at);
            System.arraycopy(bytes, at, buffer, 0, count);
            splitter.add(buffer, count);
        }
        splitter.end();
        return lines;
    }

    @Property(tries = 50)
    void add_anyChunking_givesTheSameLines(@ForAll @IntRange(min = 1, max = 40) int step) {
        byte[] bytes = "é one\r\ntwo\n\nfour € 😀\rstill four\nfive".getBytes(StandardCharsets.UTF_8);

        assertThat(split(bytes, step)).containsExactly("é one", "two", "", "four € 😀\rstill four", "five");
    }

    @Test
    void add_bytesThatAreNoUtf8_areReplaced() {
        assertThat(split(new byte[] {'a', (byte) 0xFF, 'b', '\n'}, 4)).containsExactly("a\uFFFDb");
    }

    @Test
    void add_lineWithoutEnd_comesInBoundedPiecesThatCutNoCharacter() {
        for (int shift = 0; shift < 4; shift++) {
            String text = "x".repeat(shift) + "😀".repeat(20_000);

            List<String> lines = split(text.getBytes(StandardCharsets.UTF_8), 1000);

            assertThat(String.join("", lines)).isEqualTo(text);
            assertThat(lines)
                    .hasSizeGreaterThan(5)
                    .allSatisfy(line -> assertThat(line.getBytes(StandardCharsets.UTF_8))
                            .hasSizeLessThanOrEqualTo(LineSplitter.MAX_LINE_BYTES));
        }
    }
}

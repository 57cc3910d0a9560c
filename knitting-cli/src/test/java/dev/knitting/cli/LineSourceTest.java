package dev.knitting.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines of any length, cut from any pieces. */
final class LineSourceTest {
    private static final int MAX_CHARS = 100_000;

    @Test
    void next_breaksOfBothKinds_areLeftOut() {
        assertThat(lines("one\ntwo\r\n\n\r\nthree\r")).containsExactly("one", "two", "three");
        assertThat(lines("")).isEmpty();
        assertThat(lines("\n\n")).isEmpty();
    }

    @Test
    void next_randomLines_areThoseOfTheJdk() {
        Random random = new Random(11);
        for (int round = 0; round < 200; round++) {
            StringBuilder text = new StringBuilder();
            for (int line = random.nextInt(20); line >= 0; line--) {
                int length = random.nextInt(10) == 0 ? 16_380 + random.nextInt(10) : random.nextInt(50);
                text.append("é\uD83E\uDDF6".repeat(length / 3)).append(random.nextBoolean() ? "\n" : "\r\n");
            }
            assertThat(lines(text.toString()))
                    .isEqualTo(text.toString()
                            .lines()
                            .filter(line -> !line.isEmpty())
                            .toList());
        }
    }

    @Test
    void next_lineAtTheLimit_isWholeAndOneMoreIsNot() {
        String whole = "x".repeat(MAX_CHARS);
        List<LineSource.Line> lines = read(whole + "\n" + whole + "y\nnext\n");
        assertThat(lines).extracting(LineSource.Line::tooLong).containsExactly(false, true, false);
        assertThat(lines.get(0).text()).isEqualTo(whole);
        assertThat(lines.get(1).text()).startsWith("xxx").endsWith("...").hasSizeLessThan(300);
        assertThat(lines.get(2).text()).isEqualTo("next");
    }

    @Test
    void next_gigabyteWithoutABreak_isOneLineThatIsTooLong() {
        InputStream endless = new InputStream() {
            private long left = 1L << 30;

            @Override
            public int read() {
                throw new AssertionError("not in pieces of one byte");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                int count = (int) Math.min(length, left);
                Arrays.fill(bytes, offset, offset + count, (byte) 'x');
                left -= count;
                return count == 0 ? -1 : count;
            }
        };
        LineSource lines = new LineSource(endless, StandardCharsets.UTF_8, MAX_CHARS);
        assertThat(lines.next().tooLong()).isTrue();
        assertThat(lines.hasNext()).isFalse();
    }

    private static List<String> lines(String text) {
        return read(text).stream().map(LineSource.Line::text).toList();
    }

    private static List<LineSource.Line> read(String text) {
        List<LineSource.Line> lines = new ArrayList<>();
        new LineSource(
                        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                        StandardCharsets.UTF_8,
                        MAX_CHARS)
                .forEachRemaining(lines::add);
        return lines;
    }
}

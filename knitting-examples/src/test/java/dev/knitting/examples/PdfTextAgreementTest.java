package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The text beside that of {@code pdftotext} (poppler-utils), which shares no code with PDFBox. Skipped where the program is
 * not installed.
 *
 * <p>The measure is the Dice coefficient of the two multisets of words: twice the words that both have, divided by all
 * words of both; 1 for two texts without words. Before that, both texts are brought to one form (NFKC), words that a line
 * break cut are joined, and control and format characters are left out, since the programs differ in these by intention.
 */
final class PdfTextAgreementTest {
    private static final double AGREES = 0.9;
    private static final Pattern CUT_WORD = Pattern.compile("(?<=\\w)-\\n(?=\\w)", Pattern.UNICODE_CHARACTER_CLASS);
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cf}\\p{Cc}&&[^\\n\\f\\t]]");

    private record Compared(String file, int words, double agreement) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s words=%d agreement=%.3f", file, words, agreement);
        }
    }

    @BeforeEach
    void programIsInstalled() {
        boolean installed = Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "pdftotext")));
        assumeThat(installed)
                .as("pdftotext is not installed (Debian package poppler-utils): nothing to compare with")
                .isTrue();
    }

    @Test
    void extract_samples_agreeWithPdftotext() throws Exception {
        List<Compared> samples = new ArrayList<>();
        for (String name : List.of("one-page", "three-pages", "accents", "unicode", "table", "attachment")) {
            samples.add(compare(TestFiles.SAMPLES.resolve(name + ".pdf")));
        }
        assertThat(samples).allSatisfy(sample -> assertThat(sample.agreement()).isEqualTo(1.0));
        assertThat(samples).allSatisfy(sample -> assertThat(sample.words()).isPositive());
    }

    /** Those below: formulas (GeoTopo), Arabic in two orders (habibi), and bookmarks taken for text. */
    @Test
    void extract_documentsOfOthers_mostAgreeWithPdftotext() throws Exception {
        List<Compared> documents = new ArrayList<>();
        for (Path file : TestFiles.documentsOfOthers()) {
            if (!file.toString().contains("password")) {
                documents.add(compare(file));
            }
        }
        assertThat(documents)
                .filteredOn(document -> document.agreement() >= AGREES)
                .hasSizeGreaterThanOrEqualTo(23);
        assertThat(documents)
                .filteredOn(document -> document.agreement() >= AGREES && document.words() > 0)
                .hasSizeGreaterThanOrEqualTo(18);
    }

    private static Compared compare(Path file) throws IOException, InterruptedException {
        Map<String, Integer> ours = words(PdfText.extract(file));
        Map<String, Integer> theirs = words(pdftotext(file));
        int common = 0;
        for (var word : ours.entrySet()) {
            common += Math.min(word.getValue(), theirs.getOrDefault(word.getKey(), 0));
        }
        int all = count(ours) + count(theirs);
        return new Compared(file.getFileName().toString(), count(ours), all == 0 ? 1 : 2.0 * common / all);
    }

    private static String pdftotext(Path file) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("pdftotext", "-enc", "UTF-8", file.toString(), "-")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        byte[] text = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).as(file.toString()).isZero();
        return new String(text, StandardCharsets.UTF_8);
    }

    private static Map<String, Integer> words(String text) {
        String normal = Normalizer.normalize(text, Normalizer.Form.NFKC);
        String joined = CUT_WORD.matcher(normal).replaceAll("");
        String visible = INVISIBLE.matcher(joined).replaceAll("");
        Map<String, Integer> words = new HashMap<>();
        for (String word : visible.split("\\s+", -1)) {
            if (!word.isEmpty()) {
                words.merge(word, 1, Integer::sum);
            }
        }
        return words;
    }

    private static int count(Map<String, Integer> words) {
        return words.values().stream().mapToInt(Integer::intValue).sum();
    }
}

package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sample documents say what their generator says, and what cannot be read fails cleanly. */
final class PdfTextTest {
    @Test
    void extract_onePage_returnsItsText() throws IOException {
        assertThat(extract("one-page.pdf")).isEqualTo(SamplesGenerator.ONE_PAGE + "\n");
    }

    @Test
    void extract_threePages_returnsThemInOrder() throws IOException {
        assertThat(extract("three-pages.pdf")).containsSubsequence("Page 1 of 3", "Page 2 of 3", "Page 3 of 3");
    }

    @Test
    void extract_accents_keepsThem() throws IOException {
        assertThat(extract("accents.pdf")).isEqualTo(SamplesGenerator.ACCENTS + "\n");
    }

    @Test
    void extract_scriptsOfEurope_keepsThem() throws IOException {
        assertThat(extract("unicode.pdf").lines()).isEqualTo(SamplesGenerator.UNICODE);
    }

    @Test
    void extract_table_returnsItRowByRow() throws IOException {
        assertThat(extract("table.pdf").lines()).isEqualTo(SamplesGenerator.TABLE);
    }

    @Test
    void extract_emptyPage_returnsNoText() throws IOException {
        assertThat(extract("empty-page.pdf")).isBlank();
    }

    @Test
    void extract_attachment_returnsTheTextOfThePagesOnly() throws IOException {
        assertThat(extract("attachment.pdf")).isEqualTo("The pattern is attached.\n");
        try (PDDocument document = Loader.loadPDF(sample("attachment.pdf").toFile())) {
            var files =
                    document.getDocumentCatalog().getNames().getEmbeddedFiles().getNames();
            assertThat(files).containsOnlyKeys(SamplesGenerator.ATTACHMENT_NAME);
        }
    }

    @Test
    void extract_encrypted_failsNamingThePassword() {
        assertThatThrownBy(() -> extract("encrypted.pdf"))
                .isInstanceOf(InvalidPasswordException.class)
                .hasMessageContaining("password");
    }

    @ParameterizedTest
    @ValueSource(strings = {"truncated.pdf", "not-a-pdf.pdf", "zero-bytes.pdf", "plain.txt"})
    void extract_noDocument_throwsIOException(String name) {
        assertThat(sample(name)).exists();
        assertThatIOException().isThrownBy(() -> extract(name));
    }

    @Test
    void extract_missingFile_throwsNamingIt() {
        assertThatThrownBy(() -> extract("missing.pdf"))
                .isInstanceOfAny(NoSuchFileException.class, java.io.FileNotFoundException.class)
                .hasMessageContaining("missing.pdf");
    }

    @Test
    void pages_samples_countsThem() throws IOException {
        assertThat(PdfText.pages(Files.readAllBytes(sample("one-page.pdf")))).isEqualTo(1);
        assertThat(PdfText.pages(Files.readAllBytes(sample("three-pages.pdf")))).isEqualTo(3);
    }

    @Test
    void extract_documentsOfOthers_allButTheEncryptedOne() throws IOException {
        List<String> failed = new ArrayList<>();
        long characters = 0;
        for (Path document : TestFiles.documentsOfOthers()) {
            try {
                characters += PdfText.extract(document).length();
            } catch (InvalidPasswordException e) {
                failed.add(document.getFileName().toString());
            }
        }
        assertThat(failed).containsExactly("libreoffice-writer-password.pdf");
        assertThat(characters).isGreaterThan(100_000);
    }

    private static Path sample(String name) {
        return TestFiles.SAMPLES.resolve(name);
    }

    private static String extract(String name) throws IOException {
        return PdfText.extract(sample(name));
    }
}

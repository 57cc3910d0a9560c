package dev.knitting.examples;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.text.PDFTextStripper;

/**
 * The text of PDF files: the kind of work that belongs into a worker process, because documents
 * from strangers can make a parser loop, run out of memory or crash.
 *
 * <pre>
 * ./knit map --task dev.knitting.examples.PdfText::extract samples/*.pdf
 * </pre>
 */
public final class PdfText {
    static {
        // Text needs no glyph shapes. Looking through the fonts of the machine would cost each worker
        // up to seconds at its first document, and would write a cache file into the home directory.
        FontMappers.set(new BuiltInFonts());
    }

    private PdfText() {}

    /**
     * The text of all pages, in page order; lines end with {@code \n}. Any thread may call it.
     *
     * @param file a PDF document
     * @return the text; empty if the document has none
     * @throws IOException if the file cannot be read, is no PDF, is damaged beyond repair, or needs a
     *     password
     */
    public static String extract(Path file) throws IOException {
        try (PDDocument document = Loader.loadPDF(file.toFile())) {
            PDFTextStripper stripper = new PDFTextStripper();
            // The same text on every platform.
            stripper.setLineSeparator("\n");
            return stripper.getText(document);
        }
    }

    /**
     * How many pages a document has. Any thread may call it.
     *
     * @param content a PDF document
     * @return the number of pages, at least 0
     * @throws IOException if the content is no PDF, is damaged beyond repair, or needs a password
     */
    public static int pages(byte[] content) throws IOException {
        try (PDDocument document = Loader.loadPDF(content)) {
            return document.getNumberOfPages();
        }
    }
}

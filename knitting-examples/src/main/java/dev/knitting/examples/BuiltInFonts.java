package dev.knitting.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.apache.fontbox.FontBoxFont;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;
import org.apache.pdfbox.pdmodel.font.CIDFontMapping;
import org.apache.pdfbox.pdmodel.font.FontMapper;
import org.apache.pdfbox.pdmodel.font.FontMapping;
import org.apache.pdfbox.pdmodel.font.PDCIDSystemInfo;
import org.apache.pdfbox.pdmodel.font.PDFontDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Answers every request for a font that a document does not embed with the one font that comes with
 * PDFBox, so that results do not depend on the fonts of the machine. Thread-safe.
 */
final class BuiltInFonts implements FontMapper {
    private static final String RESOURCE = "/org/apache/pdfbox/resources/ttf/LiberationSans-Regular.ttf";

    /** Not announced as a stand-in: PDFBox would log a warning for each font of each document. */
    private static final boolean IS_FALLBACK = false;

    private final TrueTypeFont font = load();

    private static TrueTypeFont load() {
        try (InputStream stream = PdfText.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("PDFBox lacks its font: resource=" + RESOURCE);
            }
            return new TTFParser().parse(new RandomAccessReadBuffer(stream));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public FontMapping<TrueTypeFont> getTrueTypeFont(@Nullable String baseFont, @Nullable PDFontDescriptor descriptor) {
        return new FontMapping<>(font, IS_FALLBACK);
    }

    @Override
    public FontMapping<FontBoxFont> getFontBoxFont(@Nullable String baseFont, @Nullable PDFontDescriptor descriptor) {
        return new FontMapping<>(font, IS_FALLBACK);
    }

    @Override
    public CIDFontMapping getCIDFont(
            @Nullable String baseFont, @Nullable PDFontDescriptor descriptor, @Nullable PDCIDSystemInfo systemInfo) {
        // No OpenType font; the TrueType font stands in.
        return new CIDFontMapping(null, font, IS_FALLBACK);
    }
}

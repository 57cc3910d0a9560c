package dev.knitting.examples;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDDocumentNameDictionary;
import org.apache.pdfbox.pdmodel.PDEmbeddedFilesNameTreeNode;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.filespecification.PDComplexFileSpecification;
import org.apache.pdfbox.pdmodel.common.filespecification.PDEmbeddedFile;
import org.apache.pdfbox.pdmodel.encryption.AccessPermission;
import org.apache.pdfbox.pdmodel.encryption.StandardProtectionPolicy;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType0Font;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts.FontName;

/**
 * Writes the files of {@code samples/}, all of the project's own making. Run it by hand after a
 * change, with the folder as its argument, and commit the files; {@code SamplesTest} checks that
 * they say what this class says.
 */
public final class SamplesGenerator {
    /** Opens {@code encrypted.pdf}. */
    static final String PASSWORD = "knitting";

    static final String ONE_PAGE = "A worker may crash. The caller still learns why.";
    static final String ACCENTS = "Zwölf Boxkämpfer, déjà vu, año, smørrebrød, naïveté, 5 €";
    static final List<String> UNICODE = List.of(
            "Ελληνικά: πλεκτό ύφασμα",
            "Русский: вязаное полотно",
            "Polski: zażółć gęślą jaźń",
            "Türkçe: ığdır şöyle böyle");
    static final List<String> TABLE = List.of("stitch rows colour", "garter 12 red", "rib 24 blue", "cable 36 green");
    /** An expression, a tab, a text; the fourth takes practically for ever, the fifth is none, the sixth lacks the tab. */
    static final List<String> PATTERNS = List.of(
            "(\\w+)@(\\w+)\tmail knit@purl today",
            "k\\d+(, p\\d+)*\trow 3: k2, p2, p4",
            "cable\tgarter",
            "^(.*?,){29}P\t" + "1,".repeat(60),
            "(unclosed\tanything",
            "no tab here",
            "[Ѐ-ӿ]+\tвязаное полотно");

    /** More pixels than any heap holds. */
    static final int HUGE_SIDE = 100_000;

    static final String ATTACHMENT_NAME = "pattern.txt";

    /** Short enough to lose the pages, which a reader could otherwise find again. */
    private static final int TRUNCATED_BYTES = 400;

    private static final int FONT_SIZE = 12;
    private static final int LEFT = 72;
    private static final int TOP = 720;
    private static final int LINE_HEIGHT = 18;
    private static final int COLUMN_WIDTH = 100;

    private SamplesGenerator() {}

    /**
     * Writes all samples.
     *
     * @param args the folder
     * @throws IOException if a file cannot be written
     */
    public static void main(String[] args) throws IOException {
        FontMappers.set(new BuiltInFonts());
        Path folder = Path.of(args[0]);
        Files.createDirectories(folder);
        write(folder.resolve("one-page.pdf"), document -> page(document, helvetica(), ONE_PAGE));
        write(folder.resolve("three-pages.pdf"), SamplesGenerator::threePages);
        write(folder.resolve("accents.pdf"), document -> page(document, helvetica(), ACCENTS));
        write(
                folder.resolve("unicode.pdf"),
                document -> page(document, embedded(document), UNICODE.toArray(String[]::new)));
        write(folder.resolve("empty-page.pdf"), document -> document.addPage(new PDPage()));
        write(folder.resolve("table.pdf"), SamplesGenerator::table);
        write(folder.resolve("attachment.pdf"), SamplesGenerator::attachment);
        write(folder.resolve("encrypted.pdf"), SamplesGenerator::encrypted);

        byte[] whole = Files.readAllBytes(folder.resolve("three-pages.pdf"));
        Files.write(folder.resolve("truncated.pdf"), Arrays.copyOf(whole, TRUNCATED_BYTES));
        Files.writeString(folder.resolve("not-a-pdf.pdf"), "This is no PDF, whatever its name.\n");
        Files.write(folder.resolve("zero-bytes.pdf"), new byte[0]);
        Files.writeString(folder.resolve("plain.txt"), "Knit one,\npurl two – ganz ähnlich.\n");
        Files.writeString(folder.resolve("patterns.txt"), String.join("\n", PATTERNS) + "\n");
        images(folder);
    }

    private static void images(Path folder) throws IOException {
        Files.write(folder.resolve("stitches.png"), image("png", BufferedImage.TYPE_INT_ARGB, 640, 480));
        Files.write(folder.resolve("tall.jpg"), image("jpg", BufferedImage.TYPE_INT_RGB, 90, 900));
        Files.write(folder.resolve("tiny.gif"), image("gif", BufferedImage.TYPE_BYTE_INDEXED, 3, 2));
        byte[] whole = Files.readAllBytes(folder.resolve("stitches.png"));
        Files.write(folder.resolve("truncated.png"), Arrays.copyOf(whole, whole.length / 2));
        Files.write(folder.resolve("huge.png"), claiming(whole, HUGE_SIDE));
    }

    /** Rows of stitches. */
    private static byte[] image(String format, int type, int width, int height) throws IOException {
        BufferedImage image = new BufferedImage(width, height, type);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                boolean thread = (x + (y / 8 % 2) * 4) % 8 < 4;
                image.setRGB(x, y, thread ? 0xFF2E6F9E : 0xFFF2EDE4);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, format, bytes);
        return bytes.toByteArray();
    }

    /** A PNG whose header, check sum included, says that each side has so many pixels. */
    private static byte[] claiming(byte[] png, int side) {
        byte[] claiming = png.clone();
        ByteBuffer header = ByteBuffer.wrap(claiming);
        // After the signature (8 bytes): length (4), "IHDR" (4), width, height, five more bytes, check sum.
        header.putInt(16, side).putInt(20, side);
        CRC32 checkSum = new CRC32();
        checkSum.update(claiming, 12, 17);
        header.putInt(29, (int) checkSum.getValue());
        return claiming;
    }

    private static void threePages(PDDocument document) throws IOException {
        for (int number = 1; number <= 3; number++) {
            page(document, helvetica(), "Page " + number + " of 3", "The end of page " + number);
        }
    }

    private static void table(PDDocument document) throws IOException {
        PDPage page = new PDPage();
        document.addPage(page);
        try (PDPageContentStream content = new PDPageContentStream(document, page)) {
            content.setFont(helvetica(), FONT_SIZE);
            for (int row = 0; row < TABLE.size(); row++) {
                int y = TOP - row * LINE_HEIGHT;
                String[] cells = TABLE.get(row).split(" ", -1);
                for (int column = 0; column < cells.length; column++) {
                    text(content, LEFT + column * COLUMN_WIDTH, y, cells[column]);
                }
                content.moveTo(LEFT, y - 4f);
                content.lineTo(LEFT + 3f * COLUMN_WIDTH, y - 4f);
                content.stroke();
            }
        }
    }

    private static void attachment(PDDocument document) throws IOException {
        page(document, helvetica(), "The pattern is attached.");
        byte[] bytes = "k2, p2, repeat\n".getBytes(StandardCharsets.UTF_8);
        PDEmbeddedFile file = new PDEmbeddedFile(document, new ByteArrayInputStream(bytes));
        file.setSubtype("text/plain");
        file.setSize(bytes.length);
        PDComplexFileSpecification specification = new PDComplexFileSpecification();
        specification.setFile(ATTACHMENT_NAME);
        specification.setEmbeddedFile(file);
        PDEmbeddedFilesNameTreeNode tree = new PDEmbeddedFilesNameTreeNode();
        tree.setNames(Map.of(ATTACHMENT_NAME, specification));
        PDDocumentNameDictionary names = new PDDocumentNameDictionary(document.getDocumentCatalog());
        names.setEmbeddedFiles(tree);
        document.getDocumentCatalog().setNames(names);
    }

    private static void encrypted(PDDocument document) throws IOException {
        page(document, helvetica(), "Nobody reads this without the password.");
        var policy = new StandardProtectionPolicy(PASSWORD, PASSWORD, new AccessPermission());
        policy.setEncryptionKeyLength(256);
        document.protect(policy);
    }

    private static void page(PDDocument document, PDFont font, String... lines) throws IOException {
        PDPage page = new PDPage();
        document.addPage(page);
        try (PDPageContentStream content = new PDPageContentStream(document, page)) {
            content.setFont(font, FONT_SIZE);
            for (int line = 0; line < lines.length; line++) {
                text(content, LEFT, TOP - line * LINE_HEIGHT, lines[line]);
            }
        }
    }

    private static void text(PDPageContentStream content, int x, int y, String text) throws IOException {
        content.beginText();
        content.newLineAtOffset(x, y);
        content.showText(text);
        content.endText();
    }

    private static PDFont helvetica() {
        return new PDType1Font(FontName.HELVETICA);
    }

    /** The part of PDFBox's own font (Liberation Sans, SIL Open Font License) that the text needs. */
    private static PDFont embedded(PDDocument document) throws IOException {
        try (InputStream font =
                PDDocument.class.getResourceAsStream("/org/apache/pdfbox/resources/ttf/LiberationSans-Regular.ttf")) {
            return PDType0Font.load(document, font, true);
        }
    }

    private static void write(Path file, Content content) throws IOException {
        try (PDDocument document = new PDDocument();
                ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
            // A fixed seed of the document's identifier: the same sources give the same file.
            document.setDocumentId(1L);
            content.addTo(document);
            document.save(bytes);
            Files.write(file, bytes.toByteArray());
        }
    }

    /** What a document shall contain. */
    private interface Content {
        void addTo(PDDocument document) throws IOException;
    }
}

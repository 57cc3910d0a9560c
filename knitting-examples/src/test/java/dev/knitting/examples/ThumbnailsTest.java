package dev.knitting.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.cos.COSObject;
import org.apache.pdfbox.cos.COSStream;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes and colours of thumbnails, and what becomes of files that are none or claim too much. */
final class ThumbnailsTest {
    @ParameterizedTest
    @CsvSource({"stitches.png,160,120", "tall.jpg,16,160", "tiny.gif,3,2"})
    void png_sample_keepsItsShape(String name, int width, int height) throws IOException {
        BufferedImage thumbnail = decoded(Thumbnails.png(sample(name)));
        assertThat(thumbnail.getWidth()).isEqualTo(width);
        assertThat(thumbnail.getHeight()).isEqualTo(height);
    }

    @Test
    void png_halfRedHalfTransparent_keepsBoth() throws IOException {
        BufferedImage image = new BufferedImage(1000, 1000, BufferedImage.TYPE_INT_ARGB);
        for (int y = 0; y < 1000; y++) {
            for (int x = 0; x < 500; x++) {
                image.setRGB(x, y, 0xFFFF0000);
            }
        }
        BufferedImage thumbnail = decoded(Thumbnails.png(encoded(image)));
        assertThat(thumbnail.getRGB(20, 80)).isEqualTo(0xFFFF0000);
        assertThat(thumbnail.getRGB(140, 80) >>> 24).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain.txt", "zero-bytes.pdf", "one-page.pdf", "truncated.png", "huge.png"})
    void png_noImageOrADamagedOne_throwsIOException(String name) {
        assertThatIOException().isThrownBy(() -> Thumbnails.png(sample(name)));
    }

    @Test
    void info_samples_saysWhatTheHeaderSays() throws IOException {
        assertThat(Thumbnails.info(path("stitches.png"))).isEqualTo(new Thumbnails.Header("png", 640, 480));
        assertThat(Thumbnails.info(path("tall.jpg"))).isEqualTo(new Thumbnails.Header("jpeg", 90, 900));
        assertThat(Thumbnails.info(path("huge.png")))
                .isEqualTo(new Thumbnails.Header("png", SamplesGenerator.HUGE_SIDE, SamplesGenerator.HUGE_SIDE));
        assertThatIOException().isThrownBy(() -> Thumbnails.info(path("plain.txt")));
        assertThatIOException().isThrownBy(() -> Thumbnails.info(Path.of("missing.png")));
    }

    /** The JPEG files within the documents: photographs, also in colours for print, which the JDK does not know. */
    @Test
    void png_photographsOfOthers_eachIsAThumbnailOrAnIOException() throws IOException {
        int thumbnails = 0;
        int refused = 0;
        for (byte[] photograph : photographs()) {
            try {
                BufferedImage thumbnail = decoded(Thumbnails.png(photograph));
                assertThat(Math.max(thumbnail.getWidth(), thumbnail.getHeight()))
                        .isLessThanOrEqualTo(Thumbnails.MAX_SIDE);
                thumbnails++;
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(thumbnails).as("refused=%d", refused).isPositive();
    }

    private static List<byte[]> photographs() throws IOException {
        List<byte[]> photographs = new ArrayList<>();
        for (Path file : TestFiles.documentsOfOthers()) {
            try (PDDocument document = Loader.loadPDF(file.toFile())) {
                for (var key : document.getDocument().getXrefTable().keySet()) {
                    COSObject object = document.getDocument().getObjectFromPool(key);
                    if (object.getObject() instanceof COSStream stream
                            && COSName.DCT_DECODE.equals(stream.getFilters())) {
                        try (InputStream raw = stream.createRawInputStream()) {
                            photographs.add(raw.readAllBytes());
                        }
                    }
                }
            } catch (InvalidPasswordException e) {
                assertThat(file.toString()).contains("password");
            }
        }
        return photographs;
    }

    private static Path path(String name) {
        return TestFiles.SAMPLES.resolve(name);
    }

    private static byte[] sample(String name) throws IOException {
        return Files.readAllBytes(path(name));
    }

    private static byte[] encoded(BufferedImage image) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        return bytes.toByteArray();
    }

    private static BufferedImage decoded(byte[] png) throws IOException {
        return ImageIO.read(new ByteArrayInputStream(png));
    }
}

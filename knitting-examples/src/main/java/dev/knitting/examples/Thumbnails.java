package dev.knitting.examples;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReadParam;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/**
 * Small pictures of large ones, for everything that the JDK reads: PNG, JPEG, GIF, BMP, TIFF. Image decoders are native
 * code and read what strangers send: work for a process that may end.
 *
 * <pre>
 * ./knit map --task dev.knitting.examples.Thumbnails::png samples/*.png samples/*.jpg
 * ./knit map --task dev.knitting.examples.Thumbnails::info samples/*.png
 * </pre>
 *
 * The bytes of a thumbnail are base64 in the line that {@code map} writes.
 */
public final class Thumbnails {
    /** Longest side of a thumbnail, in pixels. */
    public static final int MAX_SIDE = 160;

    static {
        // A worker has no screen, and must not look for one.
        System.setProperty("java.awt.headless", "true");
        // The content is in memory already; no temporary files.
        ImageIO.setUseCache(false);
    }

    private Thumbnails() {}

    /**
     * What an image says about itself.
     *
     * @param format such as {@code png} or {@code jpeg}
     * @param width in pixels
     * @param height in pixels
     */
    public record Header(String format, int width, int height) {}

    /**
     * A thumbnail of the first image of a file. Rows and columns that it does not need are left out while decoding, so that
     * memory is bounded by the thumbnail rather than by what the image claims to be. Any thread may call it.
     *
     * @param image the file's content
     * @return a PNG file; no side is longer than {@value #MAX_SIDE} pixels, and none is longer than the image's own
     * @throws IOException if it is no image, or a damaged one, or one that the JDK cannot decode
     */
    public static byte[] png(byte[] image) throws IOException {
        try (ImageInputStream stream = ImageIO.createImageInputStream(new ByteArrayInputStream(image))) {
            ImageReader reader = readerOf(stream);
            try {
                BufferedImage thumbnail = scaled(decoded(reader), reader.getWidth(0), reader.getHeight(0));
                ByteArrayOutputStream png = new ByteArrayOutputStream();
                ImageIO.write(thumbnail, "png", png);
                return png.toByteArray();
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                // What readers throw at some damaged files.
                throw new IOException("damaged image: " + e, e);
            } finally {
                reader.dispose();
            }
        }
    }

    /**
     * Format and size, from the header alone. Any thread may call it.
     *
     * @param file an image
     * @throws IOException if the file cannot be read or is no image
     */
    public static Header info(Path file) throws IOException {
        try (ImageInputStream stream = ImageIO.createImageInputStream(file.toFile())) {
            if (stream == null) {
                throw new IOException("not a readable file: path=" + file);
            }
            ImageReader reader = readerOf(stream);
            try {
                return new Header(
                        reader.getFormatName().toLowerCase(Locale.ROOT), reader.getWidth(0), reader.getHeight(0));
            } finally {
                reader.dispose();
            }
        }
    }

    private static ImageReader readerOf(ImageInputStream stream) throws IOException {
        Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
        if (!readers.hasNext()) {
            throw new IOException("not an image, or of a format that is not known");
        }
        ImageReader reader = readers.next();
        reader.setInput(stream, true, true);
        return reader;
    }

    /** Every n-th pixel, so that about twice the thumbnail's size is left for smooth scaling. */
    private static BufferedImage decoded(ImageReader reader) throws IOException {
        int longest = Math.max(reader.getWidth(0), reader.getHeight(0));
        int step = Math.max(1, longest / (2 * MAX_SIDE));
        ImageReadParam parameters = reader.getDefaultReadParam();
        parameters.setSourceSubsampling(step, step, 0, 0);
        return reader.read(0, parameters);
    }

    private static BufferedImage scaled(BufferedImage image, int fullWidth, int fullHeight) {
        double scale = Math.min(1, (double) MAX_SIDE / Math.max(fullWidth, fullHeight));
        int width = Math.max(1, (int) Math.round(fullWidth * scale));
        int height = Math.max(1, (int) Math.round(fullHeight * scale));
        boolean opaque = !image.getColorModel().hasAlpha();
        BufferedImage result =
                new BufferedImage(width, height, opaque ? BufferedImage.TYPE_INT_RGB : BufferedImage.TYPE_INT_ARGB);
        Graphics2D graphics = result.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
            graphics.drawImage(image, 0, 0, width, height, opaque ? Color.WHITE : null, null);
        } finally {
            graphics.dispose();
        }
        return result;
    }
}

package dev.knitting.codec;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A path as text that means the same file in a JVM that names files in another charset. A JVM without a locale knows
 * ASCII only: a path that it was given by a directory still holds the right bytes, but says {@code U+FFFD} for them, and
 * {@link Path#of(String, String...)} refuses what a worker, which names files in UTF-8, sends back. The path's URI shows
 * the bytes, and a path can be made from them by a URI.
 */
final class PathText {
    private static final char UNKNOWN = '\uFFFD';

    private PathText() {}

    /** The text of a path of the default file system. */
    static String of(Path path) {
        String text = path.toString();
        if (text.indexOf(UNKNOWN) < 0) {
            return text;
        }
        StringBuilder names = new StringBuilder(path.isAbsolute() ? "/" : "");
        for (int i = 0; i < path.getNameCount(); i++) {
            names.append(i == 0 ? "" : "/").append(name(path.getName(i)));
        }
        return names.toString();
    }

    private static String name(Path name) {
        String raw = name.toUri().getRawPath();
        int end = raw.endsWith("/") ? raw.length() - 1 : raw.length(); // of a directory that exists
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = raw.lastIndexOf('/', end - 1) + 1; i < end; i++) {
            if (raw.charAt(i) == '%') {
                bytes.write(Integer.parseInt(raw, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.write(raw.charAt(i));
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /**
     * The path of a text.
     *
     * @throws InvalidPathException if there is none
     */
    static Path parse(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            if (text.indexOf('\0') >= 0) {
                throw e;
            }
            return byBytes(text);
        }
    }

    private static Path byBytes(String text) {
        StringBuilder uri = new StringBuilder("file://");
        boolean absolute = text.startsWith("/");
        uri.append(absolute ? "" : "/");
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b == '/') {
                uri.append('/');
            } else {
                uri.append('%').append(Character.forDigit(b >> 4 & 0xF, 16)).append(Character.forDigit(b & 0xF, 16));
            }
        }
        try {
            Path path = Path.of(URI.create(uri.toString()));
            return absolute ? path : path.getRoot().relativize(path);
        } catch (IllegalArgumentException e) {
            throw new InvalidPathException(text, String.valueOf(e.getMessage()));
        }
    }
}

package dev.knitting.examples;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Digests, in lower-case hexadecimal digits: one method that reads the file in the worker, one that gets the content
 * through shared memory, and one for lines of text.
 *
 * <p>The names differ because {@code --task} names a method without its parameters.
 *
 * <pre>
 * ./knit map --task dev.knitting.examples.Hashes::sha256 samples/*
 * ./knit map --task dev.knitting.examples.Hashes::md5 samples/*
 * seq 1000 | ./knit map --task dev.knitting.examples.Hashes::sha256Text
 * </pre>
 */
public final class Hashes {
    private static final int BUFFER_BYTES = 64 << 10;

    private Hashes() {}

    /**
     * The SHA-256 digest of a file of any size, read in pieces. Any thread may call it.
     *
     * @param file the file to read
     * @return 64 hexadecimal digits
     * @throws IOException if the file cannot be read
     */
    public static String sha256(Path file) throws IOException {
        MessageDigest digest = digest("SHA-256");
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream stream = Files.newInputStream(file)) {
            for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
                digest.update(buffer, 0, count);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * The MD5 digest of some bytes: a check sum, not a protection. Any thread may call it.
     *
     * @param content the bytes, possibly none
     * @return 32 hexadecimal digits
     */
    public static String md5(byte[] content) {
        return HexFormat.of().formatHex(digest("MD5").digest(content));
    }

    /**
     * The SHA-256 digest of a text in UTF-8. Any thread may call it.
     *
     * @param text any text; the digest is the same as that of a file with this content
     * @return 64 hexadecimal digits
     */
    public static String sha256Text(String text) {
        return HexFormat.of().formatHex(digest("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            // The Java platform requires both algorithms of every implementation.
            throw new IllegalStateException("digest missing: algorithm=" + algorithm, e);
        }
    }
}

package dev.knitting.memory;

import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Name of a segment's file: {@code knitting-PID-START-RANDOM}. Tells whose it is before the file has any content, and
 * cannot be guessed (128 random bits). Host only.
 *
 * @param owner the host that created the file
 * @param random the part that cannot be guessed, in hexadecimal digits
 */
record SegmentName(ProcessIdentity owner, String random) {
    static final String PREFIX = "knitting-";

    private static final int RANDOM_BYTES = 16;
    private static final int FIELDS = 3;

    /** A name that nobody has used, owned by this process. */
    static SegmentName create() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return new SegmentName(ProcessIdentity.current(), HexFormat.of().formatHex(random));
    }

    /** The name in this file name, or null if it is not one of ours, in every detail. */
    static @Nullable SegmentName parse(String fileName) {
        if (!fileName.startsWith(PREFIX)) {
            return null;
        }
        String[] fields = fileName.substring(PREFIX.length()).split("-", -1);
        if (fields.length != FIELDS || fields[2].length() != 2 * RANDOM_BYTES) {
            return null;
        }
        try {
            ProcessIdentity owner = new ProcessIdentity(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
            SegmentName name = new SegmentName(owner, fields[2]);
            return name.text().equals(fileName) ? name : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The file name. */
    String text() {
        return PREFIX + owner.pid() + "-" + owner.startToken() + "-" + random;
    }
}

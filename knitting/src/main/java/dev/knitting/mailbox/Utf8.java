package dev.knitting.mailbox;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Short texts in shared memory. */
public final class Utf8 {
    private Utf8() {}

    /** A text as UTF-8, cut before the character that does not fit. */
    public static byte[] cut(String text, int mostBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= mostBytes) {
            return bytes;
        }
        int end = mostBytes;
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }
}

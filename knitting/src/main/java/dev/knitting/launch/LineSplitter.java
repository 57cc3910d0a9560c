package dev.knitting.launch;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Cuts a byte stream into lines of at most 8 KiB. Bytes that are no UTF-8 become U+FFFD; {@code \r\n} counts as a line
 * end, a lone {@code \r} does not. One thread.
 */
final class LineSplitter {
    static final int MAX_LINE_BYTES = 8192;
    /** A character takes up to 4 bytes of UTF-8: a cut goes back over at most 3. */
    private static final int MAX_CONTINUATION_BYTES = 3;

    private final Consumer<String> lines;
    private final byte[] line = new byte[MAX_LINE_BYTES];
    private int length;

    LineSplitter(Consumer<String> lines) {
        this.lines = lines;
    }

    /** Takes the next bytes and hands on every line that is now complete. */
    void add(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            byte b = bytes[i];
            if (b == '\n') {
                boolean crlf = length > 0 && line[length - 1] == '\r';
                lines.accept(text(crlf ? length - 1 : length));
                length = 0;
            } else {
                if (length == MAX_LINE_BYTES) {
                    cut();
                }
                line[length++] = b;
            }
        }
    }

    /** What stands after the last line end. */
    String unfinished() {
        return text(length);
    }

    /** Hands on what stands after the last line end, if anything. */
    void end() {
        if (length > 0) {
            lines.accept(text(length));
            length = 0;
        }
    }

    private String text(int bytes) {
        return new String(line, 0, bytes, StandardCharsets.UTF_8);
    }

    /** Hands on a full buffer, but for a character whose last bytes are still to come. */
    private void cut() {
        int end = MAX_LINE_BYTES;
        int back = 0;
        while (back < MAX_CONTINUATION_BYTES && isContinuation(line[end - 1 - back])) {
            back++;
        }
        if (isStart(line[end - 1 - back])) {
            end -= back + 1;
        }
        lines.accept(text(end));
        length = MAX_LINE_BYTES - end;
        System.arraycopy(line, end, line, 0, length);
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }

    /** The first byte of a character of two to four bytes. */
    private static boolean isStart(byte b) {
        return (b & 0xC0) == 0xC0;
    }
}

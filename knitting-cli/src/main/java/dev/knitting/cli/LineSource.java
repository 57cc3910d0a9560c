package dev.knitting.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a stream, one at a time and never longer than a limit, however long a line is: a stream without line breaks
 * must not fill the heap. Breaks are {@code \n} and {@code \r\n}; empty lines are left out. For one thread.
 */
final class LineSource implements Iterator<LineSource.Line> {
    private static final int BUFFER_CHARS = 16 << 10;
    private static final int SHOWN_CHARS = 200;

    private final Reader reader;
    private final int maxChars;
    private final char[] buffer = new char[BUFFER_CHARS];
    private int position;
    private int limit;
    private @Nullable Line next;

    /**
     * Reads lazily.
     *
     * @param charset how the stream is decoded; what is malformed becomes a replacement character
     * @param maxChars most that a line may have
     */
    LineSource(InputStream stream, Charset charset, int maxChars) {
        this.reader = new InputStreamReader(stream, charset);
        this.maxChars = maxChars;
    }

    /**
     * A line.
     *
     * @param text the line without its break; only the beginning if it is too long
     * @param tooLong whether it is longer than the limit
     */
    record Line(String text, boolean tooLong) {}

    /**
     * Whether there is another line; waits for it.
     *
     * @throws UncheckedIOException if the stream cannot be read
     */
    @Override
    public boolean hasNext() {
        try {
            while (next == null) {
                Line line = read();
                if (line == null) {
                    return false;
                }
                next = line.text().isEmpty() ? null : line;
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Line next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Line line = java.util.Objects.requireNonNull(next);
        next = null;
        return line;
    }

    private @Nullable Line read() throws IOException {
        StringBuilder text = new StringBuilder();
        boolean tooLong = false;
        boolean any = false;
        while (fill()) {
            any = true;
            int end = position;
            while (end < limit && buffer[end] != '\n') {
                end++;
            }
            int room = maxChars - text.length();
            tooLong |= end - position > room;
            text.append(buffer, position, Math.min(end - position, room));
            position = end;
            if (end < limit) {
                position++;
                break;
            }
        }
        return any ? line(text, tooLong) : null;
    }

    private static Line line(StringBuilder text, boolean tooLong) {
        if (tooLong) {
            return new Line(text.substring(0, Math.min(SHOWN_CHARS, text.length())) + "...", true);
        }
        if (!text.isEmpty() && text.charAt(text.length() - 1) == '\r') {
            text.setLength(text.length() - 1);
        }
        return new Line(text.toString(), false);
    }

    /** Whether the buffer holds something; reads if it does not. */
    private boolean fill() throws IOException {
        if (position < limit) {
            return true;
        }
        position = 0;
        limit = reader.read(buffer);
        return limit > 0;
    }
}

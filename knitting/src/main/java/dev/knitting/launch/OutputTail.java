package dev.knitting.launch;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines a worker printed: at most 64 lines and 16 KiB characters, whatever it prints. Any thread. */
public final class OutputTail {
    /** Most lines kept. */
    public static final int MAX_LINES = 64;
    /** Most characters kept, line ends included. */
    public static final int MAX_CHARS = 16 * 1024;

    private final Deque<String> lines = new ArrayDeque<>(MAX_LINES);
    private int chars;
    private String unfinished = "";

    OutputTail() {}

    /** Adds a complete line; the oldest give way. */
    synchronized void add(String line) {
        String kept = line.length() < MAX_CHARS ? line : line.substring(line.length() - MAX_CHARS + 1);
        unfinished = "";
        lines.addLast(kept);
        chars += kept.length() + 1;
        while (lines.size() > MAX_LINES || chars > MAX_CHARS) {
            chars -= lines.removeFirst().length() + 1;
        }
    }

    /** What stands after the last line end so far; replaced by the next call of either method. */
    synchronized void unfinished(String text) {
        unfinished = text;
    }

    /** The lines joined by {@code \n}, without a line end at the end; empty if nothing was printed. */
    public synchronized String text() {
        StringBuilder text = new StringBuilder(chars + unfinished.length());
        for (String line : lines) {
            text.append(line).append('\n');
        }
        text.append(unfinished);
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '\n') {
            end--;
        }
        int start = Math.max(0, end - MAX_CHARS);
        return text.substring(start, end);
    }
}

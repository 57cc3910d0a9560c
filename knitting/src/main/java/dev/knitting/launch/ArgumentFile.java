package dev.knitting.launch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of a {@code java @file}: writes it and reads it by the rules of the {@code java} launcher.
 *
 * <p>Words are separated by white space; a word in single or double quotes may contain white space, and in there a
 * backslash takes the next character literally, except {@code \n \r \t \f} and an end of line, which it joins.
 * {@code #} outside quotes begins a comment.
 */
final class ArgumentFile {
    private ArgumentFile() {}

    /** One word a line, quoted where needed. */
    static String write(List<String> words) {
        StringBuilder text = new StringBuilder(1024);
        for (String word : words) {
            quote(word, text);
            text.append('\n');
        }
        return text.toString();
    }

    private static void quote(String word, StringBuilder to) {
        if (isPlain(word)) {
            to.append(word);
            return;
        }
        to.append('"');
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            switch (c) {
                case '\n' -> to.append("\\n");
                case '\r' -> to.append("\\r");
                case '\t' -> to.append("\\t");
                case '\f' -> to.append("\\f");
                case '\\', '"' -> to.append('\\').append(c);
                default -> to.append(c);
            }
        }
        to.append('"');
    }

    private static boolean isPlain(String word) {
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c <= ' ' || c == '"' || c == '\'' || c == '\\' || c == '#') {
                return false;
            }
        }
        return !word.isEmpty();
    }

    /** The words of such a text. An unclosed quote ends with the text. */
    static List<String> read(String text) {
        return new Reader(text).words();
    }

    private static final class Reader {
        private final String text;
        private final List<String> words = new ArrayList<>();
        private @Nullable StringBuilder word;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        List<String> words() {
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"' || c == '\'') {
                    quoted(c);
                } else if (Character.isWhitespace(c)) {
                    endWord();
                } else if (c == '#') {
                    skipLine();
                } else {
                    append(c);
                }
            }
            endWord();
            return words;
        }

        private void quoted(char quote) {
            StringBuilder current = current();
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == quote) {
                    return;
                }
                if (c == '\\' && at < text.length()) {
                    escaped(text.charAt(at++));
                } else {
                    current.append(c);
                }
            }
        }

        private void escaped(char c) {
            switch (c) {
                case 'n' -> append('\n');
                case 'r' -> append('\r');
                case 't' -> append('\t');
                case 'f' -> append('\f');
                case '\n', '\r' -> skipIndent();
                default -> append(c);
            }
        }

        /** A joined line goes on at its first character that is not white space. */
        private void skipIndent() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
        }

        private void skipLine() {
            while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
                at++;
            }
        }

        private StringBuilder current() {
            StringBuilder current = word;
            if (current == null) {
                current = new StringBuilder();
                word = current;
            }
            return current;
        }

        private void append(char c) {
            current().append(c);
        }

        private void endWord() {
            StringBuilder ended = word;
            if (ended != null) {
                words.add(ended.toString());
                word = null;
            }
        }
    }
}

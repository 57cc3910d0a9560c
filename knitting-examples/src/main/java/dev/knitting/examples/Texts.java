package dev.knitting.examples;

/**
 * Figures about a text: an example whose argument is the decoded content of the file, and whose
 * result is a record.
 *
 * <pre>
 * ./knit map --task dev.knitting.examples.Texts::count README.md
 * </pre>
 */
public final class Texts {
    private Texts() {}

    /**
     * What {@link #count} found.
     *
     * @param lines line breaks, plus one if the last line has none
     * @param words runs of characters without white space
     * @param characters Unicode code points
     */
    public record Count(int lines, int words, int characters) {}

    /**
     * Counts lines, words and characters. Any thread may call it.
     *
     * @param text any text, possibly empty
     * @return the counts, all 0 for an empty text
     */
    public static Count count(String text) {
        int words = 0;
        boolean inWord = false;
        for (int i = 0; i < text.length(); i++) {
            boolean space = Character.isWhitespace(text.charAt(i));
            if (!space && !inWord) {
                words++;
            }
            inWord = !space;
        }
        return new Count((int) text.lines().count(), words, text.codePointCount(0, text.length()));
    }
}

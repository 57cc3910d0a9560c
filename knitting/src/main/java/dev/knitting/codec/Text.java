package dev.knitting.codec;

/** Questions about strings that decide how they cross. */
final class Text {
    private static final int MAX_LATIN1 = 0xFF;

    private Text() {}

    /**
     * Whether every character is up to 0xFF. Nearly free for a string that the JVM holds as Latin-1: the compiler sees that
     * its characters cannot be larger.
     */
    static boolean isLatin1(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > MAX_LATIN1) {
                return false;
            }
        }
        return true;
    }
}

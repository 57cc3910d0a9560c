package dev.knitting.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A command line of {@code java} cut into its options and what follows them.
 *
 * @param options JVM options; one that takes its value as the next word is joined to it by {@code =}
 * @param jar the file after {@code -jar}, or null
 * @param rest the first word that is no option (the main class), or null if the options are all there is
 */
record JvmArguments(
        List<String> options,
        @Nullable String jar,
        @Nullable String rest) {
    /** Options whose value is the next word. The launcher knows no others. */
    private static final Set<String> TAKES_NEXT_WORD = Set.of(
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--limit-modules",
            "--patch-module",
            "--add-reads",
            "--add-exports",
            "--add-opens",
            "--enable-native-access",
            "--source");

    /** Cuts the words that follow {@code java}, argument files already replaced by their content. */
    static JvmArguments of(List<String> words) {
        List<String> options = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("-jar")) {
                return new JvmArguments(options, i + 1 < words.size() ? words.get(i + 1) : null, word);
            }
            if (word.equals("-m") || word.equals("--module") || word.startsWith("--module=") || !word.startsWith("-")) {
                return new JvmArguments(options, null, word);
            }
            if (TAKES_NEXT_WORD.contains(word) && i + 1 < words.size()) {
                i++;
                options.add(word + "=" + words.get(i));
            } else {
                options.add(word);
            }
        }
        return new JvmArguments(options, null, null);
    }
}

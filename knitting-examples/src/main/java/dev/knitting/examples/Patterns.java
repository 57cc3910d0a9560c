package dev.knitting.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Regular expressions that strangers wrote. Some take longer than the universe has existed, for a text of one line, and
 * nothing but the end of its process stops {@code Matcher.find}: an interrupt means nothing to it. A hard timeout makes
 * such a line one failure among results.
 *
 * <pre>
 * ./knit map --timeout 2s --task dev.knitting.examples.Patterns::find &lt; samples/patterns.txt
 * </pre>
 */
public final class Patterns {
    private Patterns() {}

    /**
     * The first place where an expression matches.
     *
     * @param start its offset in the text, in {@code char}s; -1 if the expression matches nowhere
     * @param match what matched; null if nothing did
     * @param groups what the expression's groups matched, in their order; null for one that took no part
     */
    public record Found(int start, @Nullable String match, List<@Nullable String> groups) {}

    /**
     * Looks for an expression in a text. Any thread may call it.
     *
     * @param line the expression, a tab, and the text
     * @return the first match, if any
     * @throws java.util.regex.PatternSyntaxException if the expression is none
     * @throws IllegalArgumentException if the line has no tab
     */
    public static Found find(String line) {
        int tab = line.indexOf('\t');
        if (tab < 0) {
            throw new IllegalArgumentException("no tab between expression and text: line=" + line);
        }
        Matcher matcher = Pattern.compile(line.substring(0, tab)).matcher(line.substring(tab + 1));
        if (!matcher.find()) {
            return new Found(-1, null, List.of());
        }
        List<@Nullable String> groups = new ArrayList<>();
        for (int group = 1; group <= matcher.groupCount(); group++) {
            groups.add(matcher.group(group));
        }
        return new Found(matcher.start(), matcher.group(), groups);
    }
}

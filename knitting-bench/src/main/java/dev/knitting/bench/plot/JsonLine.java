package dev.knitting.bench.plot;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One flat JSON object: texts without escapes, and numbers. That is all that the benchmarks print. */
record JsonLine(Map<String, String> fields) {
    private static final Pattern FIELD = Pattern.compile("\"([^\"\\\\]+)\":(?:\"([^\"\\\\]*)\"|(-?[0-9][0-9.eE+-]*))");

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if it is no such object
     */
    static JsonLine parse(String line) {
        Map<String, String> fields = new LinkedHashMap<>();
        Matcher matcher = FIELD.matcher(line);
        int position = expect(line, 0, '{');
        while (matcher.find(position) && matcher.start() == position) {
            String text = matcher.group(2);
            fields.put(matcher.group(1), text == null ? matcher.group(3) : text);
            position = matcher.end();
            if (position < line.length() && line.charAt(position) == ',') {
                position++;
            }
        }
        if (expect(line, position, '}') != line.length()) {
            throw malformed(line);
        }
        return new JsonLine(fields);
    }

    private static int expect(String line, int position, char wanted) {
        if (position >= line.length() || line.charAt(position) != wanted) {
            throw malformed(line);
        }
        return position + 1;
    }

    private static IllegalArgumentException malformed(String line) {
        return new IllegalArgumentException("no flat JSON object: line=" + line);
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** The kind of result; {@code round-trip} where nothing else is said. */
    String bench() {
        return fields.getOrDefault("bench", "round-trip");
    }

    String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("field missing: name=" + name + ", line=" + fields);
        }
        return value;
    }

    double number(String name) {
        return Double.parseDouble(text(name));
    }
}

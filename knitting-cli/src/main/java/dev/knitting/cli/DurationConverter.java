package dev.knitting.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 1.5m}, {@code 2h}; also {@code PT30S}. */
final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern SHORT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)(ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = SHORT.matcher(text);
        if (matcher.matches()) {
            double number = Double.parseDouble(matcher.group(1));
            return positive(text, Duration.ofMillis(Math.round(number * millis(matcher.group(2)))));
        }
        try {
            return positive(text, Duration.parse(text));
        } catch (DateTimeParseException e) {
            throw new TypeConversionException(
                    "not a duration: value=" + text + ", examples=500ms, 30s, 1.5m, 2h, PT30S");
        }
    }

    private static Duration positive(String text, Duration duration) {
        if (!duration.isPositive()) {
            throw new TypeConversionException("a duration must be longer than 0: value=" + text);
        }
        return duration;
    }

    private static long millis(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            default -> 3_600_000;
        };
    }
}

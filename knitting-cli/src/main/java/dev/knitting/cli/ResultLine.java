package dev.knitting.cli;

import dev.knitting.KnittingException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * One line of {@code map}'s output.
 *
 * <pre>
 * {"input":"a.pdf","ok":true,"result":"text","millis":12.345}
 * {"input":"b.pdf","ok":false,"error":{"code":"TASK_FAILED","message":"java.io.IOException: no PDF"}}
 * </pre>
 *
 * @param bytes UTF-8, without a line break
 * @param errorCode why the input failed; null if it succeeded
 */
@SuppressWarnings("ArrayRecordComponent") // A carrier that nobody compares; results may be large.
record ResultLine(byte[] bytes, @Nullable String errorCode) {
    /** More would hide the line in its own message. */
    private static final int MAX_MESSAGE_CHARS = 2_000;

    private static final Pattern LINE_BREAKS = Pattern.compile("\\s*\\R\\s*");

    /** The result cannot be written as JSON. */
    private static final String NOT_JSON = "RESULT_NOT_JSON";

    /**
     * A success; a failure if the result has no JSON form.
     *
     * @param nanos how long the task ran
     */
    static ResultLine success(String input, @Nullable Object result, long nanos) {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("input", input);
        line.put("ok", true);
        line.put("result", result);
        // Microseconds are what the clock is good for.
        line.put("millis", Math.round(nanos / 1e3) / 1e3);
        try {
            return new ResultLine(Json.line(line), null);
        } catch (JacksonException e) {
            return failure(input, NOT_JSON, "the result has no JSON form: " + e.getOriginalMessage());
        } catch (OutOfMemoryError e) {
            return failure(input, "RESULT_TOO_LARGE", "no memory left to write the result as JSON: " + e);
        }
    }

    /** A failure with the reason that the pool or the task gave. */
    static ResultLine failure(String input, Throwable problem) {
        Throwable reason =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        return switch (reason) {
            case KnittingException e -> failure(input, e.code().name(), text(e));
            case CancellationException e ->
                failure(input, "CANCELLED", e.getMessage() == null ? "cancelled before it ended" : e.getMessage());
            // A call fails with nothing else; should it, the class says most.
            default -> failure(input, "UNKNOWN", reason.toString());
        };
    }

    /** A failure. */
    static ResultLine failure(String input, String code, String message) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("message", oneLine(message));
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("input", input);
        line.put("ok", false);
        line.put("error", error);
        return new ResultLine(Json.line(line), code);
    }

    private static String oneLine(String message) {
        String line = LINE_BREAKS.matcher(message.strip()).replaceAll(" | ");
        return line.length() <= MAX_MESSAGE_CHARS ? line : line.substring(0, MAX_MESSAGE_CHARS) + "...";
    }

    private static String text(Throwable problem) {
        return problem.getMessage() == null ? problem.toString() : problem.getMessage();
    }
}

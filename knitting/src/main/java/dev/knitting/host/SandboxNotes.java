package dev.knitting.host;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Sandbox;
import dev.knitting.TaskFailedException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells a caller that it was the sandbox that refused something to a task, and which option would allow it. Told by the
 * exceptions that the JDK throws then; a file that its owner's permissions forbid looks the same.
 */
final class SandboxNotes {
    private static final int MOST_CAUSES = 16;
    /** Longer ones were not written by the JDK about a path. What a worker says must not cost its host anything. */
    private static final int MOST_TEXT = 8192;

    private static final Pattern PORT = Pattern.compile("[:/](\\d{1,5})\\b(?!.*[:/]\\d)");

    private SandboxNotes() {}

    /** The failure, with a note if the sandbox looks to be its reason. */
    static RuntimeException explain(RuntimeException failure, Sandbox sandbox) {
        if (!(failure instanceof TaskFailedException told)) {
            return failure;
        }
        String note = find(told, sandbox);
        if (note == null) {
            return failure;
        }
        String message = told.remoteMessage();
        TaskFailedException explained = new TaskFailedException(
                told.remoteType(),
                message == null ? "[" + note + "]" : message + " [" + note + "]",
                told.getStackTrace(),
                told.getCause());
        for (Throwable suppressed : told.getSuppressed()) {
            explained.addSuppressed(suppressed);
        }
        Throwable original = told.getCause();
        if (original != null) {
            // Who gets the original (a service's declared exception) finds the note there.
            original.addSuppressed(new KnittingException(ErrorCode.TASK_FAILED, note));
        }
        return explained;
    }

    private static @Nullable String find(TaskFailedException told, Sandbox sandbox) {
        String note = note(told.remoteType(), told.remoteMessage(), sandbox);
        Throwable cause = told.getCause();
        for (int i = 0; note == null && cause != null && i < MOST_CAUSES; i++) {
            note = cause instanceof TaskFailedException inner
                    ? note(inner.remoteType(), inner.remoteMessage(), sandbox)
                    : note(cause.getClass().getName(), cause.getMessage(), sandbox);
            cause = cause.getCause();
        }
        return note;
    }

    private static @Nullable String note(String type, @Nullable String message, Sandbox sandbox) {
        String text = message == null ? "" : message;
        if (text.length() > MOST_TEXT || text.indexOf('\0') >= 0) {
            return null;
        }
        if (type.equals("java.nio.file.AccessDeniedException")) {
            return path(text, sandbox);
        }
        boolean denied = text.contains("Permission denied");
        boolean forbidden = text.contains("Operation not permitted");
        if (!denied && !forbidden) {
            return null;
        }
        return switch (type) {
            case "java.io.FileNotFoundException" -> path(before(text, " (Permission denied)"), sandbox);
            case "java.nio.file.FileSystemException" ->
                forbidden
                        ? "refused by the sandbox: path=" + before(text, ": ")
                                + ", no option allows to change permissions, owners, times or attributes"
                        : path(before(text, ": "), sandbox);
            case "java.net.ConnectException",
                    "java.net.BindException",
                    "java.net.SocketException",
                    "java.net.NoRouteToHostException" -> network(text, sandbox);
            case "java.io.IOException", "java.io.UncheckedIOException" ->
                text.contains("Cannot run program")
                        ? "refused by the sandbox: program=" + quoted(text) + ", option=sandbox.execute"
                        : null;
            default -> null;
        };
    }

    private static String path(String path, Sandbox sandbox) {
        boolean readable = sandbox.paths().stream()
                .anyMatch(rule -> rule.access() != Sandbox.Access.DENY
                        && java.nio.file.Path.of(path)
                                .toAbsolutePath()
                                .startsWith(rule.path().toAbsolutePath()));
        return "refused by the sandbox: path=" + path + ", option="
                + (readable ? "sandbox.write" : "sandbox.read or sandbox.write");
    }

    private static String network(String text, Sandbox sandbox) {
        Matcher port = PORT.matcher(text);
        if (port.find()) {
            return "refused by the sandbox: port=" + port.group(1) + ", option=sandbox.connect(" + port.group(1) + ")";
        }
        if (sandbox.connect().isEmpty() && sandbox.bind().isEmpty()) {
            return "refused by the sandbox: no network, option=sandbox.connect or sandbox.bind (TCP ports)";
        }
        return "refused by the sandbox: allowed are TCP connections to ports " + sandbox.connect()
                + " and listening on ports " + sandbox.bind() + ", option=sandbox.connect or sandbox.bind";
    }

    private static String before(String text, String end) {
        int at = text.indexOf(end);
        return at < 0 ? text : text.substring(0, at);
    }

    private static String quoted(String text) {
        int from = text.indexOf('"');
        int to = text.indexOf('"', from + 1);
        return from < 0 || to < 0 ? text : text.substring(from + 1, to);
    }
}

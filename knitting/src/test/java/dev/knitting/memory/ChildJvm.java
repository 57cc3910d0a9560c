package dev.knitting.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A second JVM that runs {@link MemoryChild}, for tests between processes. Killed on close. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** With native access, attached to nothing. */
    static ChildJvm start(String... arguments) {
        return start(List.of("--enable-native-access=ALL-UNNAMED"), null, arguments);
    }

    /** With native access; the segment is handed over, its argument follows the mode. */
    static ChildJvm attach(String mode, SharedSegment segment) {
        Handover handover = segment.handover();
        return start(
                List.of("--enable-native-access=ALL-UNNAMED"), handover.standardInput(), mode, handover.argument());
    }

    static ChildJvm start(List<String> jvmOptions, @Nullable Path standardInput, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), MemoryChild.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        if (standardInput != null) {
            builder.redirectInput(standardInput.toFile());
        }
        try {
            return new ChildJvm(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** The next line that it prints; null at its end. */
    @Nullable
    String line() {
        try {
            return output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything else that it prints; waits for its end. */
    String rest() {
        StringBuilder text = new StringBuilder();
        for (String line = line(); line != null; line = line()) {
            text.append(line).append('\n');
        }
        return text.toString();
    }

    /** Stops reading what it prints, and waits for its end. */
    int exitCodeWithoutReader() throws IOException, InterruptedException {
        output.close();
        return process.waitFor();
    }

    /** SIGKILL, then its exit is awaited. */
    void kill() {
        process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }
}

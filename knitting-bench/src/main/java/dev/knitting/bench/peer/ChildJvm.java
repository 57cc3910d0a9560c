package dev.knitting.bench.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child JVM of a peer: same class path, serial collector. It lives as long as its standard input is open, so it ends
 * with its parent, however the parent ends. Its standard output is for the hand-over at the start.
 */
public final class ChildJvm implements AutoCloseable {
    private static final long END_TIMEOUT_SECONDS = 5;

    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = process.inputReader(UTF_8);
    }

    /**
     * Starts a child.
     *
     * @param main the class whose {@code main} runs; it calls {@link #endWithParent} first
     * @param arguments what {@code main} gets
     * @throws IOException if the process cannot be started
     */
    public static ChildJvm start(Class<?> main, String... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    /**
     * Starts a child that needs options of its own.
     *
     * @param jvmOptions options of the JVM, before the class
     * @param main the class whose {@code main} runs
     * @param arguments what {@code main} gets
     * @throws IOException if the process cannot be started
     */
    public static ChildJvm start(List<String> jvmOptions, Class<?> main, String... arguments) throws IOException {
        List<String> command = command(System.getProperty("java.class.path", ""), main);
        command.addAll(1, jvmOptions);
        command.addAll(List.of(arguments));
        return new ChildJvm(
                builder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** The command line of a class in this JVM's runtime, in a list that can grow. */
    public static List<String> command(String classPath, Class<?> main) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ArrayList<>(List.of(java, "-XX:+UseSerialGC", "-cp", classPath, main.getName()));
    }

    /** A process without the variables by which an environment adds JVM options. */
    public static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"));
        return builder;
    }

    /** In the child: ends this JVM when the parent closes our standard input or dies. */
    public static void endWithParent() {
        Thread watch = new Thread(ChildJvm::awaitEndOfInput, "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static void awaitEndOfInput() {
        try (InputStream input = System.in) {
            input.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
            // A broken pipe says the same as its end: the parent is gone.
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * Waits for the next line that the child prints.
     *
     * @throws IOException if the child ended instead
     */
    public String readLine() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException(
                    "child ended early: command=" + process.info().commandLine().orElse("unknown"));
        }
        return line;
    }

    /** The process itself. */
    public Process process() {
        return process;
    }

    private void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended before it took all that was sent: there is nobody left to ask.
            process.destroyForcibly();
        }
    }

    /** Asks the child to end, waits a few seconds, then kills it. An interrupt kills at once and stays set. */
    @Override
    public void close() throws IOException {
        closeInput();
        try {
            if (!process.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        output.close();
    }
}

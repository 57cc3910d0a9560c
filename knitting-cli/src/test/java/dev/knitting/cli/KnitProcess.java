package dev.knitting.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command in a JVM of its own, as the launcher starts it. Its output goes to files: nothing blocks, nothing is lost.
 *
 * @param process the JVM
 * @param out standard output
 * @param err standard error
 */
record KnitProcess(Process process, Path out, Path err) {

    /**
     * Starts the command.
     *
     * @param folder an empty folder for its output
     */
    static KnitProcess start(Path folder, String... args) throws IOException {
        return start(folder, List.of(), List.of(), new File("/dev/null"), args);
    }

    /**
     * Starts the command.
     *
     * @param folder an empty folder for its output and its temporary files
     * @param prefix words before {@code java}
     * @param jvmOptions options of the JVM
     * @param input standard input
     */
    static KnitProcess start(Path folder, List<String> prefix, List<String> jvmOptions, File input, String... args)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of(
                "-Djava.io.tmpdir=" + Files.createDirectories(temporary(folder)),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                "dev.knitting.cli.Knit"));
        command.addAll(List.of(args));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(input))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new KnitProcess(process, out, err);
    }

    /** Where the command and its workers put temporary files. */
    static Path temporary(Path folder) {
        return folder.resolve("tmp");
    }

    private static String classPath() {
        // Surefire puts the real class path here when it starts the JVM with a manifest-only jar.
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** What it wrote to standard error so far. */
    String errors() {
        try {
            return Files.readString(err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the end. The test's timeout bounds it. */
    CommandRun join() throws IOException, InterruptedException {
        int exitCode = process.waitFor();
        return new CommandRun(exitCode, Files.readString(out), Files.readString(err));
    }
}

package dev.knitting.cli;

import java.io.File;
import java.io.IOException;
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
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                "dev.knitting.cli.Knit"));
        command.addAll(List.of(args));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new KnitProcess(process, out, err);
    }

    private static String classPath() {
        // Surefire puts the real class path here when it starts the JVM with a manifest-only jar.
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Waits for the end. The test's timeout bounds it. */
    CommandRun join() throws IOException, InterruptedException {
        int exitCode = process.waitFor();
        return new CommandRun(exitCode, Files.readString(out), Files.readString(err));
    }
}

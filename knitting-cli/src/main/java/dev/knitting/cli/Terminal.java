package dev.knitting.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What the command talks to: the three streams, and whether a person looks at them.
 *
 * @param in lines: inputs, or names of files
 * @param out results: unbuffered bytes, so that a failure to write them is seen
 * @param err messages, progress and summaries
 * @param inIsTerminal whether somebody types what comes from {@code in}
 * @param outIsTerminal whether {@code out} is shown on a terminal
 * @param errIsTerminal whether {@code err} is shown on a terminal
 * @param colourAllowed whether colours may be used on terminals
 */
record Terminal(
        InputStream in,
        OutputStream out,
        PrintStream err,
        boolean inIsTerminal,
        boolean outIsTerminal,
        boolean errIsTerminal,
        boolean colourAllowed) {

    /** The streams of this process. */
    static Terminal ofProcess() {
        return new Terminal(
                System.in,
                new FileOutputStream(FileDescriptor.out),
                System.err,
                isTerminal(0),
                isTerminal(1),
                isTerminal(2),
                System.getenv().getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(System.getenv("TERM")));
    }

    /** Whether results may be coloured. */
    boolean colourOut() {
        return colourAllowed && outIsTerminal;
    }

    /** Whether messages may be coloured. */
    boolean colourErr() {
        return colourAllowed && errIsTerminal;
    }

    /** Java can only tell whether both standard input and output are a terminal; Linux tells each. */
    @SuppressWarnings("SystemConsoleNull") // Null with -Djdk.console=java.base, also on a new JDK.
    private static boolean isTerminal(int fileDescriptor) {
        if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux")) {
            return System.console() != null && System.console().isTerminal();
        }
        try {
            Path target = Path.of("/proc/self/fd/" + fileDescriptor).toRealPath();
            return target.startsWith("/dev/pts") || target.toString().startsWith("/dev/tty");
        } catch (IOException e) {
            // Closed, a pipe or a socket: nothing that has a name in the file system.
            return false;
        }
    }
}

package dev.knitting.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where {@code map}'s inputs come from: the command line, a list of names, or the lines of standard input. */
final class MapInputs {
    /** Longest line. */
    private static final int MAX_LINE_CHARS = 16 << 20;

    private static final String STANDARD_INPUT = "-";

    @Parameters(
            paramLabel = "FILES",
            arity = "0..*",
            description = "The files, in the order of the output. None, or -: the lines of standard input.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = "--files-from",
            paramLabel = "FILE",
            description = "Reads the names of the files from a file, one a line; - is standard input.")
    private @Nullable String filesFrom;

    @Option(names = "--stdin", description = "Reads standard input also from a terminal; same as - in place of FILES.")
    private boolean fromStandardInput;

    /**
     * One input of a run.
     *
     * @param name what the output calls it
     * @param isText whether the name itself is the argument, where the task takes text
     * @param tooLong whether it was a line too long to be used
     */
    record Item(String name, boolean isText, boolean tooLong) {}

    /**
     * All inputs of a run.
     *
     * @param items read lazily
     * @param total how many there are; -1 if nobody knows
     * @param close what to close at the end
     */
    record Source(Iterator<Item> items, long total, AutoCloseable close) {}

    /** The files that are named on the command line; empty if the names come otherwise. */
    List<String> named() {
        return files.equals(List.of(STANDARD_INPUT)) ? List.of() : List.copyOf(files);
    }

    /**
     * Opens what the options say.
     *
     * @throws UsageException if they say nothing, or contradict each other
     */
    Source open(Terminal terminal) throws UsageException {
        boolean dash = files.equals(List.of(STANDARD_INPUT));
        String list = filesFrom;
        if (list != null) {
            if (fromStandardInput || !files.isEmpty()) {
                throw new UsageException("--files-from excludes FILES and --stdin");
            }
            return lines(openList(list, terminal), false);
        }
        if (!dash && !files.isEmpty()) {
            if (fromStandardInput || files.contains(STANDARD_INPUT)) {
                throw new UsageException("FILES and standard input exclude each other");
            }
            Iterator<Item> names =
                    files.stream().map(name -> new Item(name, false, false)).iterator();
            return new Source(names, files.size(), () -> {});
        }
        if (!dash && !fromStandardInput && terminal.inIsTerminal()) {
            throw new UsageException("no input: name FILES, use --files-from, or pipe lines into standard input");
        }
        return lines(new NotClosed(terminal.in()), true);
    }

    private static InputStream openList(String name, Terminal terminal) throws UsageException {
        if (name.equals(STANDARD_INPUT)) {
            return new NotClosed(terminal.in());
        }
        try {
            return Files.newInputStream(Path.of(name));
        } catch (IOException | java.nio.file.InvalidPathException e) {
            throw new UsageException("cannot read the list of files: path=" + name + ", reason=" + e);
        }
    }

    private static Source lines(InputStream stream, boolean isText) {
        Charset charset = Charset.forName(
                System.getProperty("stdin.encoding", System.getProperty("native.encoding", "UTF-8")),
                StandardCharsets.UTF_8);
        LineSource lines = new LineSource(stream, charset, MAX_LINE_CHARS);
        Iterator<Item> items = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return lines.hasNext();
            }

            @Override
            public Item next() {
                LineSource.Line line = lines.next();
                return new Item(line.text(), isText, line.tooLong());
            }
        };
        return new Source(items, -1, stream);
    }

    /** Standard input: a read may be stuck in it, and closing would wait for that. */
    private static final class NotClosed extends FilterInputStream {
        private NotClosed(InputStream stream) {
            super(stream);
        }

        @Override
        public void close() {
            // The process's own stream ends with the process.
        }
    }
}

package dev.knitting.cli;

import dev.knitting.KnittingException;
import dev.knitting.Sandbox;
import dev.knitting.observe.SandboxTable;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** What {@code map}'s task may do. */
final class MapSandbox {
    private static final String STRICT = "strict";
    private static final String NONE = "none";
    private static final String DEFAULT = "";
    /** With more files than this their folders are allowed: each rule costs the workers' starts a little. */
    private static final int MOST_FILES = 500;

    @Option(
            names = "--sandbox",
            paramLabel = "strict|none|FILE",
            description = {
                "What the task may do. strict: read its inputs and its class path, write into a temporary folder,",
                "nothing else: no network, no processes. none: what you may do. FILE: a properties file with the",
                "keys read, write, execute, deny, connect, bind, env, childProcesses; its inputs are added.",
                "Default: strict; where the kernel cannot enforce that, none, and a warning."
            })
    private String sandbox = DEFAULT;

    @Option(
            names = "--allow-read",
            paramLabel = "PATH",
            description = "One more file or folder that the task may read. May be repeated.")
    private List<Path> readable = new ArrayList<>();

    /**
     * The sandbox of a run.
     *
     * @param kind what the task gets: only one that gets paths opens its inputs itself
     * @param named the files on the command line; empty if their names are read while it runs: then the working directory
     *     is allowed
     * @param err for the warning
     * @throws KnittingException if FILE is not one
     */
    Sandbox of(InputKind kind, List<String> named, PrintStream err, boolean quiet) {
        if (sandbox.equals(NONE)) {
            return Sandbox.none();
        }
        if (sandbox.equals(DEFAULT) && !SandboxTable.isStrictSupported()) {
            if (!quiet) {
                err.println("map: this machine cannot enforce a sandbox: the task may do what you may; see knit doctor,"
                        + " or say --sandbox none");
            }
            return Sandbox.none();
        }
        Sandbox stated =
                sandbox.equals(DEFAULT) || sandbox.equals(STRICT) ? Sandbox.strict() : Sandbox.parse(Path.of(sandbox));
        Sandbox wider = stated.read(readable.toArray(Path[]::new));
        return kind == InputKind.PATH ? wider.read(inputs(named).toArray(Path[]::new)) : wider;
    }

    private static Set<Path> inputs(List<String> named) {
        Set<Path> paths = new LinkedHashSet<>();
        if (named.isEmpty()) {
            paths.add(Path.of("").toAbsolutePath());
        }
        for (String name : named) {
            try {
                Path path = Path.of(name).toAbsolutePath();
                // What is not there, or nobody may read, becomes a line of its own.
                if (Files.isReadable(path)) {
                    Path folder = path.getParent();
                    paths.add(named.size() > MOST_FILES && folder != null ? folder : path);
                }
            } catch (InvalidPathException e) {
                // Becomes a line of its own too.
            }
        }
        return paths;
    }
}

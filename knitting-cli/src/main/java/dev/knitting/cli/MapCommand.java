package dev.knitting.cli;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLClassLoader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code knit map}: one static method over many files, in worker processes. */
@Command(
        name = "map",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = {
            "Runs a Java method over files in isolated worker processes.",
            "",
            "Writes one JSON line a file to standard output, in the order of the files:",
            "  {\"input\":\"a.pdf\",\"ok\":true,\"result\":\"...\",\"millis\":12.3}",
            "  {\"input\":\"b.pdf\",\"ok\":false,\"error\":{\"code\":\"TASK_FAILED\",\"message\":\"...\"}}",
            "A file that fails does not stop the others. \"millis\" counts from hand-over to result.",
            ""
        },
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every input succeeded",
            "1:some inputs failed",
            "2:wrong usage",
            "3:any other failure: no workers, no output"
        },
        footerHeading = "%nExample:%n",
        footer = "  knit map --task dev.knitting.examples.PdfText::extract samples/*.pdf")
final class MapCommand implements Callable<Integer> {
    /** How long the end of the program waits for a reader that stopped reading. */
    private static final Duration OUTPUT_PATIENCE = Duration.ofMillis(200);

    private final Terminal terminal;
    private final Knit.PoolOpener opener;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--task",
            required = true,
            paramLabel = "CLASS::METHOD",
            description = "A static method that takes one Path, byte[] (the content) or String (the content as UTF-8).")
    private String task = "";

    @Option(
            names = "--cp",
            paramLabel = "JARS",
            description = {
                "Jars and class folders that the workers need, separated as in a class path;",
                "\"folder/*\" means all jars in it. May be repeated."
            })
    private List<String> classPath = List.of();

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "How many worker processes, 1 to 256. Default: half the cores.")
    private @Nullable Integer workers;

    @Option(
            names = "--max-heap",
            paramLabel = "SIZE",
            description = "Largest heap of one worker, such as 512m. Default: half the memory, shared by the workers.")
    private @Nullable String maxHeap;

    @Option(names = "--stdin", description = "Reads the names of the files from standard input, one a line.")
    private boolean fromStandardInput;

    @Option(
            names = {"-q", "--quiet"},
            description = "No progress bar and no summary.")
    private boolean quiet;

    @Parameters(paramLabel = "FILES", arity = "0..*", description = "The files, in the order of the output.")
    private List<String> files = List.of();

    MapCommand(Terminal terminal, Knit.PoolOpener opener) {
        this.terminal = terminal;
        this.opener = opener;
    }

    @Override
    public Integer call() throws Exception {
        if (fromStandardInput == !files.isEmpty()) {
            throw usage(
                    files.isEmpty() ? "no input: name FILES or use --stdin" : "FILES and --stdin exclude each other");
        }
        List<Path> entries;
        TaskLookup.Found found;
        try {
            entries = ExtraClassPath.parse(classPath);
            try (URLClassLoader loader = ExtraClassPath.loader(entries)) {
                found = TaskLookup.find(task, loader);
            }
        } catch (UsageException e) {
            throw usage(e.getMessage());
        }
        PoolBuilder builder = builder(entries);
        try (Pool pool = open(builder, found)) {
            return run(pool, found, builder.options().payload().maxBytes());
        }
    }

    private PoolBuilder builder(List<Path> entries) {
        try {
            PoolBuilder builder = (workers == null ? Pool.processes() : Pool.processes(workers))
                    .name("map")
                    .addClassPath(entries.toArray(Path[]::new));
            String heap = maxHeap;
            return heap == null ? builder : builder.jvm(jvm -> jvm.maxHeap(heap));
        } catch (KnittingException e) {
            throw usage(e.getMessage());
        }
    }

    private Pool open(PoolBuilder builder, TaskLookup.Found found) {
        try {
            return opener.open(builder, found.task());
        } catch (KnittingException e) {
            if (e.code() == ErrorCode.BAD_OPTION) {
                throw usage(e.getMessage());
            }
            throw new Knit.FailedException("the workers cannot be started: " + e.getMessage(), e);
        }
    }

    private int run(Pool pool, TaskLookup.Found found, long maxInputBytes) throws InterruptedException {
        LineOutput output = new LineOutput(terminal.out());
        MapRunner.Summary summary;
        try (MapProgress progress = progress()) {
            MapRunner runner = new MapRunner(pool, found.task(), output, progress);
            Thread hook = new Thread(() -> endAtOnce(output, runner, pool), "knit-map-end");
            Runtime.getRuntime().addShutdownHook(hook);
            try {
                summary = runner.run(names(), found.kind(), maxInputBytes);
            } finally {
                removeHook(hook);
            }
        } catch (IOException e) {
            // Nobody takes the results of the rest.
            pool.shutdownNow();
            throw new Knit.FailedException("input or output failed: " + e, e);
        }
        if (!quiet) {
            report(summary);
        }
        return summary.failed() == 0 ? ExitCode.OK : ExitCode.SOME_FAILED;
    }

    private Iterator<String> names() {
        if (!fromStandardInput) {
            return files.iterator();
        }
        Charset charset = Charset.forName(
                System.getProperty("stdin.encoding", System.getProperty("native.encoding", "UTF-8")),
                StandardCharsets.UTF_8);
        return new BufferedReader(new InputStreamReader(terminal.in(), charset))
                .lines()
                .filter(line -> !line.isEmpty())
                .iterator();
    }

    private MapProgress progress() {
        return quiet || !terminal.errIsTerminal()
                ? MapProgress.none()
                : MapProgress.on(terminal.err(), fromStandardInput ? -1 : files.size());
    }

    /** Ctrl-C: what was written stays whole lines, and no worker outlives the command. */
    private static void endAtOnce(LineOutput output, MapRunner runner, Pool pool) {
        try {
            output.endWithin(OUTPUT_PATIENCE);
        } catch (IOException | InterruptedException e) {
            // The program ends anyway, and its exit code says that it was told to.
            System.getLogger(MapCommand.class.getName()).log(System.Logger.Level.DEBUG, "output not ended", e);
        }
        runner.stop();
        pool.shutdownNow();
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Shutdown has begun: the hook runs, as it should.
            System.getLogger(MapCommand.class.getName()).log(System.Logger.Level.DEBUG, "shutting down", e);
        }
    }

    private void report(MapRunner.Summary summary) {
        double seconds = summary.nanos() / 1e9;
        String failures = summary.failed() + " failed";
        Ansi ansi = terminal.colourErr() ? Ansi.ON : Ansi.OFF;
        terminal.err()
                .println(String.format(
                        Locale.ROOT,
                        "map: %s%d inputs, %d ok, %s, %.2f s, %.1f inputs/s",
                        summary.stopped() ? "interrupted after " : "",
                        summary.inputs(),
                        summary.succeeded(),
                        summary.failed() == 0 ? failures : ansi.new Text("@|red " + failures + "|@").toString(),
                        seconds,
                        summary.inputs() / Math.max(seconds, 1e-9)));
    }

    private ParameterException usage(@Nullable String message) {
        return new ParameterException(spec.commandLine(), String.valueOf(message));
    }
}

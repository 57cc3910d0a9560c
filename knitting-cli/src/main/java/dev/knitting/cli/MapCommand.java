package dev.knitting.cli;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code knit map}: one static method over many inputs, in worker processes. */
@Command(
        name = "map",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = {
            "Runs a Java method over files, or over lines of standard input, in isolated worker processes.",
            "",
            "Writes one JSON line an input to standard output, in the order of the inputs:",
            "  {\"input\":\"a.pdf\",\"ok\":true,\"result\":\"...\",\"millis\":12.3}",
            "  {\"input\":\"b.pdf\",\"ok\":false,\"error\":{\"code\":\"TASK_FAILED\",\"message\":\"...\"}}",
            "An input that fails does not stop the others. \"millis\" is the time that the method ran.",
            "",
            "The method's parameter decides what it gets: a Path the file itself; a byte[] the file's content;",
            "a String the file's content as UTF-8, or, from standard input, the line itself.",
            ""
        },
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every input succeeded",
            "1:some inputs failed",
            "2:wrong usage",
            "3:any other failure: no workers, no output",
            "130:interrupted by Ctrl-C; 143 by SIGTERM"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  knit map --task dev.knitting.examples.PdfText::extract samples/*.pdf",
            "  seq 1000 | knit map --task dev.knitting.examples.Hashes::sha256Text"
        })
final class MapCommand implements Callable<Integer> {
    /** How long the end of the program waits for a reader that stopped reading. */
    private static final Duration OUTPUT_PATIENCE = Duration.ofMillis(200);

    /** What {@code open} says about a method that no worker can run. */
    private static final Set<ErrorCode> CALLERS_FAULT = EnumSet.of(
            ErrorCode.BAD_OPTION, ErrorCode.UNSUPPORTED_PAYLOAD, ErrorCode.BAD_TASK, ErrorCode.TASK_NOT_FOUND);

    private final Terminal terminal;
    private final Knit.PoolOpener opener;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--task",
            required = true,
            paramLabel = "CLASS::METHOD",
            description = "A static method that takes one Path, byte[] or String.")
    private String task = "";

    @Mixin
    private MapInputs inputs = new MapInputs();

    @Mixin
    private MapWorkers workers = new MapWorkers();

    @Mixin
    private MapSandbox sandbox = new MapSandbox();

    @Option(names = "--fail-fast", description = "Cancels the rest at the first failure.")
    private boolean failFast;

    @Option(
            names = {"-q", "--quiet"},
            description = "No progress bar and no summary.")
    private boolean quiet;

    MapCommand(Terminal terminal, Knit.PoolOpener opener) {
        this.terminal = terminal;
        this.opener = opener;
    }

    @Override
    public Integer call() throws Exception {
        MapInputs.Source source;
        TaskLookup.Found found;
        PoolBuilder builder;
        Task<Object, Object> limited;
        try {
            source = inputs.open(terminal);
            List<Path> entries = workers.classPath();
            boolean foreign = ExtraClassPath.contains(entries, TaskLookup.className(task));
            try (URLClassLoader loader =
                    foreign ? ExtraClassPath.foreignLoader(entries) : ExtraClassPath.loader(entries)) {
                found = TaskLookup.find(task, loader);
            }
            limited = workers.with(found.task());
            builder = workers.builder(entries, foreign, sandbox.of(found.kind(), inputs.named(), terminal.err(), quiet))
                    .register(found.elementTypes().toArray(Class<?>[]::new));
        } catch (UsageException | KnittingException e) {
            throw usage(e.getMessage());
        }
        MapSummary summary;
        try (var _ = source.close();
                Pool pool = open(builder, found)) {
            summary = run(
                    pool,
                    limited,
                    found.kind(),
                    source,
                    builder.options().payload().maxBytes());
        }
        // After the pool, so that nothing that the workers print comes after it.
        if (!quiet) {
            summary.print(terminal.err(), terminal.colourErr());
        }
        return summary.failed() == 0 ? ExitCode.OK : ExitCode.SOME_FAILED;
    }

    private Pool open(PoolBuilder builder, TaskLookup.Found found) {
        try {
            return opener.open(builder, found.task());
        } catch (KnittingException e) {
            if (CALLERS_FAULT.contains(e.code())) {
                throw usage(e.getMessage());
            }
            throw new Knit.FailedException("the workers cannot be started: " + e.getMessage(), e);
        }
    }

    private MapSummary run(
            Pool pool, Task<Object, Object> limited, InputKind kind, MapInputs.Source source, long maxInputBytes)
            throws InterruptedException {
        LineOutput output = new LineOutput(terminal.out());
        MapSummary summary;
        try (MapProgress progress = progress(source.total())) {
            MapRunner runner = new MapRunner(pool, limited, output, progress, failFast);
            Thread hook = new Thread(() -> endAtOnce(output, runner, pool), "knit-map-end");
            Runtime.getRuntime().addShutdownHook(hook);
            try {
                summary = runner.run(source.items(), kind, maxInputBytes);
            } finally {
                removeHook(hook);
            }
        } catch (IOException e) {
            // Nobody takes the results of the rest.
            pool.shutdownNow();
            throw new Knit.FailedException("input or output failed: " + e, e);
        }
        if (failFast && summary.failed() > 0) {
            pool.shutdownNow(); // what was cancelled may run on, and nobody waits for it
        }
        return summary;
    }

    private MapProgress progress(long total) {
        return quiet || !terminal.errIsTerminal()
                ? MapProgress.none()
                : MapProgress.on(terminal.err(), total, terminal.outIsTerminal());
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

    private ParameterException usage(@Nullable String message) {
        return new ParameterException(spec.commandLine(), String.valueOf(message));
    }
}

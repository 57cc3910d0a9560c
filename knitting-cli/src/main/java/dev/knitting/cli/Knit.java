package dev.knitting.cli;

import dev.knitting.Pool;
import dev.knitting.bench.BenchCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** Entry point of the {@code knit} command. */
@Command(
        name = "knit",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = "Runs functions in worker processes through shared memory.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:success",
            "1:some inputs failed (map)",
            "2:wrong usage",
            "3:any other failure",
            "130:interrupted by Ctrl-C"
        },
        footer = {"", "NO_COLOR in the environment turns colours off."})
public final class Knit implements Runnable {

    private static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Knit() {}

    /**
     * Runs the command and ends the JVM with its exit code.
     *
     * @param args the command line
     */
    @SuppressWarnings("CatchAndPrintStackTrace") // The last one that can say anything.
    public static void main(String[] args) {
        int exitCode;
        // What workers print comes through the JDK's logging: one line each, without a headline.
        if (System.getProperty(LOG_FORMAT) == null) {
            System.setProperty(LOG_FORMAT, "%5$s%6$s%n");
        }
        try {
            exitCode = commandLine(Terminal.ofProcess(), (builder, task) -> builder.open(task))
                    .execute(args);
        } catch (Error e) {
            // The command line's library reports exceptions only, and the JVM's own code for it, 1, means something
            // else.
            e.printStackTrace();
            exitCode = ExitCode.INTERNAL;
        }
        System.exit(exitCode);
    }

    /**
     * The command with all its subcommands.
     *
     * @param terminal the streams to use
     * @param opener how {@code map} opens its pool
     */
    static CommandLine commandLine(Terminal terminal, PoolOpener opener) {
        CommandLine line = new CommandLine(new Knit())
                .addSubcommand(new DemoCommand(DemoCommand::openDefault))
                .addSubcommand(new MapCommand(terminal, opener))
                .addSubcommand(new BenchCommand())
                .addSubcommand(new TopCommand(terminal))
                .addSubcommand(new DoctorCommand(terminal))
                .addSubcommand(new dev.knitting.cli.chaos.ChaosCommand(
                        report -> new String(Json.line(report), StandardCharsets.UTF_8)));
        // Help and versions go to standard output, complaints to standard error.
        Ansi ansi = terminal.colourOut() ? Ansi.ON : Ansi.OFF;
        return line.setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(terminal.err(), true, terminal.err().charset()))
                .setColorScheme(CommandLine.Help.defaultColorScheme(ansi))
                .setParameterExceptionHandler((problem, args) -> wrongUsage(problem, terminal))
                .setExecutionExceptionHandler((problem, command, parsed) -> failure(problem, command, terminal));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private static int wrongUsage(ParameterException problem, Terminal terminal) {
        CommandLine command = problem.getCommandLine();
        ParameterException first = firstToTell(problem);
        complain(command, terminal, first.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(first, command.getErr());
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE;
    }

    /** Who misspells the name of an option that is required has to hear of the misspelt one. */
    private static ParameterException firstToTell(ParameterException problem) {
        List<String> unknown = problem instanceof CommandLine.MissingParameterException
                ? problem.getCommandLine().getUnmatchedArguments()
                : List.of();
        return unknown.isEmpty()
                ? problem
                : new CommandLine.UnmatchedArgumentException(problem.getCommandLine(), unknown);
    }

    private static int failure(Exception problem, CommandLine command, Terminal terminal) {
        complain(command, terminal, problem.getMessage() == null ? problem.toString() : problem.getMessage());
        if (!(problem instanceof FailedException)) {
            // Not foreseen: whoever looks for the reason needs the place.
            problem.printStackTrace(command.getErr());
        }
        return ExitCode.INTERNAL;
    }

    private static void complain(CommandLine command, Terminal terminal, @Nullable String message) {
        Ansi ansi = terminal.colourErr() ? Ansi.ON : Ansi.OFF;
        command.getErr()
                .println(command.getCommandSpec().qualifiedName() + ": " + ansi.new Text("@|red error:|@ ") + message);
    }

    /** How a command opens its pool; tests put a pool of their own here. */
    @FunctionalInterface
    interface PoolOpener {
        /** Opens the pool for one task. */
        Pool open(dev.knitting.PoolBuilder builder, dev.knitting.Task<?, ?> task);
    }

    /** A failure that its message explains: shown without a stack trace, exit code 3. */
    static final class FailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FailedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Reads the version that the build wrote into the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Knit.class.getPackage().getImplementationVersion();
            return new String[] {
                "knit " + (version == null ? "(not packaged)" : version),
                "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            };
        }
    }
}

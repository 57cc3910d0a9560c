package dev.knitting.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the {@code knit} command. */
@Command(
        name = "knit",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = "Runs functions in worker processes through shared memory.")
public final class Knit implements Runnable {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private Knit() {}

    /**
     * Runs the command and ends the JVM with its exit code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Knit());
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Reads the version that the build wrote into the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Knit.class.getPackage().getImplementationVersion();
            return new String[] {"knit " + (version == null ? "(not packaged)" : version)};
        }
    }
}

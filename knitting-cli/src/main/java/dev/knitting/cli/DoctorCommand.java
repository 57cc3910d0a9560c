package dev.knitting.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code knit doctor}: what this machine can do. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = "Says what this machine can do for worker processes, and what pools choose by default.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the report was written", "2:wrong usage", "3:any other failure"})
final class DoctorCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Writes the report as JSON.")
    private boolean json;

    DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        Map<String, Map<String, @Nullable Object>> report = DoctorReport.ofThisMachine();
        if (json) {
            terminal.out().write(Json.pretty(report));
            terminal.out().write('\n');
            terminal.out().flush();
        } else {
            print(report);
        }
        return ExitCode.OK;
    }

    private void print(Map<String, Map<String, @Nullable Object>> report) {
        PrintWriter out = spec.commandLine().getOut();
        var ansi = spec.commandLine().getColorScheme().ansi();
        report.forEach((section, facts) -> {
            out.println(ansi.new Text("@|bold " + section + "|@"));
            facts.forEach((name, value) -> out.printf("  %-22s %s%n", name, text(value)));
        });
        out.flush();
    }

    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "unknown";
            case Boolean yes -> yes ? "yes" : "no";
            default -> value.toString();
        };
    }
}

package dev.knitting.cli.chaos;

import dev.knitting.fault.FaultAction;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code knit chaos}: kills workers at random points and checks that every call settles and nothing stays behind. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        description = {
            "Lets worker processes die at named points, drawn by a seed, while 16 callers check every result.",
            "Writes what was counted; leaks are counted after the pool was closed. Linux only."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:nothing was unsettled, wrong or left behind",
            "1:something was",
            "2:wrong usage",
            "3:any other failure"
        })
public final class ChaosCommand implements Callable<Integer> {
    private static final int SPACED_MIN_MILLIS = 3_000;
    private static final int SPACED_MAX_MILLIS = 4_000;

    private final Function<Map<String, @Nullable Object>, String> json;

    @Spec
    private CommandSpec spec;

    @Option(names = "--seconds", defaultValue = "60", description = "How long callers call (default ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--seed", defaultValue = "1", description = "Seed of points and times (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--workers", defaultValue = "2", description = "Workers of the pool (default ${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--action",
            defaultValue = "KILL",
            description = "KILL, STOP (for 200 ms) or THROW (default ${DEFAULT-VALUE}).")
    private FaultAction action = FaultAction.KILL;

    @Option(
            names = "--spaced",
            description = "One worker suffers, at least 3 s apart: for the throughput after a replacement.")
    private boolean spaced;

    @Option(names = "--json", description = "Writes one JSON object.")
    private boolean asJson;

    /**
     * The command.
     *
     * @param json how a report becomes one line of JSON
     */
    public ChaosCommand(Function<Map<String, @Nullable Object>, String> json) {
        this.json = json;
    }

    @Override
    public Integer call() throws Exception {
        ChaosPlan plan = new ChaosPlan(
                Duration.ofSeconds(seconds),
                seed,
                workers,
                1,
                spaced ? Long.MAX_VALUE : 20_000,
                action,
                spaced ? SPACED_MIN_MILLIS : 100,
                spaced ? SPACED_MAX_MILLIS : 500,
                spaced ? 1 : workers);
        Map<String, @Nullable Object> report = new ChaosRunner(plan).run();
        PrintWriter out = spec.commandLine().getOut();
        if (asJson) {
            out.println(json.apply(report));
        } else {
            report.forEach((name, value) -> out.printf("%-32s %s%n", name, value));
        }
        out.flush();
        return isClean(report) ? 0 : 1;
    }

    private static boolean isClean(Map<String, @Nullable Object> report) {
        return java.util.stream.Stream.of(
                        "unsettled", "wrong", "leakedProcesses", "leakedFiles", "leakedFds", "leakedMappings")
                .allMatch(name -> report.get(name) instanceof Number count && count.longValue() == 0);
    }
}

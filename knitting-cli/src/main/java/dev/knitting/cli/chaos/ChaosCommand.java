package dev.knitting.cli.chaos;

import dev.knitting.fault.FaultAction;
import dev.knitting.fault.Faults;
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
    private static final int SPARES = 1;
    /** So few that a worker that nothing else ends is replaced in peace, also on a slow machine. */
    private static final long RECYCLE_AFTER = 5_000;

    private static final int RECYCLE_MILLIS = 4_000;
    private static final int DENSE_MIN_MILLIS = 20;
    private static final int DENSE_MAX_MILLIS = 300;
    private static final int HOST_MILLIS = 150;
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
            names = "--mailbox",
            defaultValue = "TICKET",
            description = "What workers serve: PRIVATE, TICKET or DEKKER (default ${DEFAULT-VALUE}).")
    private Mailbox mailbox = Mailbox.TICKET;

    @Option(
            names = "--spaced",
            description = "A worker that serves is struck from outside, at least 3 s apart: for the throughput after a"
                    + " replacement.")
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
        System.setProperty(
                Faults.PROPERTY, ""); // before the switch is looked at: this process is a host that suffers too
        ChaosPlan plan = spaced ? spaced() : dense();
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

    /** Worker after worker, as fast as new ones start; spares too; the host at its own points. */
    private ChaosPlan dense() {
        return new ChaosPlan(
                Duration.ofSeconds(seconds),
                seed,
                workers,
                SPARES,
                mailbox,
                RECYCLE_AFTER,
                action,
                DENSE_MIN_MILLIS,
                DENSE_MAX_MILLIS,
                workers + SPARES,
                RECYCLE_MILLIS,
                HOST_MILLIS);
    }

    /** One worker at a time, and time between: for what a replacement costs. */
    private ChaosPlan spaced() {
        return new ChaosPlan(
                Duration.ofSeconds(seconds),
                seed,
                workers,
                SPARES,
                mailbox,
                Long.MAX_VALUE,
                action,
                SPACED_MIN_MILLIS,
                SPACED_MAX_MILLIS,
                0,
                0,
                0);
    }

    private static boolean isClean(Map<String, @Nullable Object> report) {
        return java.util.stream.Stream.of(
                        "unsettled", "wrong", "leakedProcesses", "leakedFiles", "leakedFds", "leakedMappings")
                .allMatch(name -> report.get(name) instanceof Number count && count.longValue() == 0);
    }
}

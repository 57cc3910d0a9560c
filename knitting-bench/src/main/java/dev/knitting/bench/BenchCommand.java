package dev.knitting.bench;

import dev.knitting.bench.peer.Op;
import dev.knitting.bench.peer.Peers;
import dev.knitting.bench.plot.Plots;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench} command. Results go to standard output, progress to standard error. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = {
            "Round trips on this machine, beside what the JDK offers and the hardware limit.",
            "Everything takes about a quarter of an hour; choose peers and operations for less."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:measured", "1:a peer failed or answered wrongly", "2:usage"})
public final class BenchCommand implements Callable<Integer> {
    private static final String EVERYTHING = "all";

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "One JSON object per line instead of a table.")
    private boolean json;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            defaultValue = EVERYTHING,
            description = "Who is measured: ${DEFAULT-VALUE}, or limit, limit-park, limit-park-thread, knitting-thread,"
                    + " knitting-process, jdk-executor, jdk-forkjoin, jdk-virtual, disruptor-busyspin,"
                    + " disruptor-blocking, jdk-rmi, uds, pipes, grpc-uds, aeron-ipc-spin, aeron-ipc-backoff.")
    private List<String> peers = List.of();

    @Option(
            names = "--ops",
            split = ",",
            paramLabel = "OP",
            defaultValue = EVERYTHING,
            description = "What is called: ${DEFAULT-VALUE}, or inc-sync, inc, bytes8, bytes1k, bytes64k, bytes1m,"
                    + " string1m, order.")
    private List<String> ops = List.of();

    @Option(
            names = "--batches",
            split = ",",
            paramLabel = "N",
            description = "Calls in a batch. Default: what suits the operation. Batches above 16 MiB are left out.")
    private List<Integer> batches = List.of();

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "0.5",
            description = "Measuring time of a case, all rounds together. Default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--startup",
            paramLabel = "N",
            description =
                    "Instead: start a process pool N times and get its first result, beside a JVM that says hello.")
    private @Nullable Integer startup;

    @Option(
            names = "--sandbox",
            paramLabel = "N",
            description = "Instead: start sandboxed workers N times, beside others, and call them.")
    private @Nullable Integer sandbox;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            description = "Instead: processor time of pools that have nothing to do.")
    private @Nullable Integer idle;

    @Option(
            names = "--park",
            paramLabel = "CALLS",
            description = "Instead: lone calls to workers that sleep, beside the bare cost of waking somebody.")
    private @Nullable Integer park;

    @Option(
            names = "--skew",
            description = "Instead: tasks of very unequal length on two workers, beside a simulated list schedule.")
    private boolean skew;

    @Option(
            names = "--callers",
            paramLabel = "N",
            split = ",",
            description = "Instead: N callers with batches of 100, beside one caller with batches of N x 100.")
    private List<Integer> callers = List.of();

    @Option(
            names = "--workers",
            paramLabel = "N",
            split = ",",
            description = "Instead: what pools of N workers get done, beside the first N.")
    private List<Integer> workers = List.of();

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Instead: plots and tables of results that --json wrote to a file.")
    private @Nullable Path plot;

    @Option(names = "--out", paramLabel = "DIR", defaultValue = ".", description = "Where --plot writes.")
    private Path out = Path.of("");

    /** For picocli. */
    public BenchCommand() {}

    @Override
    public Integer call() throws Exception {
        try {
            measure();
            return 0;
        } catch (WrongResultException e) {
            progress("bench failed: " + e.getMessage());
            return 1;
        }
    }

    private void measure() throws Exception {
        boolean isOther = startup != null
                || idle != null
                || sandbox != null
                || park != null
                || skew
                || !callers.isEmpty()
                || !workers.isEmpty()
                || plot != null;
        if (!isOther) {
            roundTrips();
        }
        if (startup != null) {
            print(StartupBench.measure(positive("--startup", startup)).lines(json));
        }
        if (sandbox != null) {
            print(SandboxBench.measure(positive("--sandbox", sandbox)).lines(json));
        }
        if (idle != null) {
            print(IdleBench.lines(IdleBench.measure(Duration.ofSeconds(positive("--idle", idle))), json));
        }
        if (park != null) {
            print(ParkBench.lines(ParkBench.measure(positive("--park", park)), json));
        }
        if (skew) {
            print(SkewBench.lines(SkewBench.measure(positive("--rounds", rounds)), json));
        }
        for (int count : callers) {
            Duration roundTime = caseTime().dividedBy(positive("--rounds", rounds));
            CallersBench bench = new CallersBench(positive("--callers", count), rounds, roundTime);
            print(CallersBench.lines(bench.measure(choices()), json));
        }
        if (!workers.isEmpty()) {
            workers.forEach(count -> positive("--workers", count));
            Duration roundTime = caseTime().dividedBy(positive("--rounds", rounds));
            print(WorkersBench.lines(new WorkersBench(workers, rounds, roundTime).measure(), json));
        }
        if (plot != null) {
            Plots.write(plot, out).forEach(file -> progress("written: " + file));
        }
    }

    private void roundTrips() throws Exception {
        List<Peers.Choice> choices = choices();
        var settings = new RoundTripBench.Settings(ops(), batches(), positive("--rounds", rounds), caseTime());
        List<CaseResult> results = new RoundTripBench(Peers.limit(), settings, this::progress).run(choices);
        if (results.isEmpty()) {
            throw usage("nothing to measure: --peers=" + String.join(",", peers) + " --ops=" + String.join(",", ops)
                    + " --batches=" + batches);
        }
        print(json ? results.stream().map(CaseResult::json).toList() : TableReport.lines(results));
    }

    private List<Peers.Choice> choices() {
        List<Peers.Choice> all = Peers.all();
        if (peers.contains(EVERYTHING)) {
            return all.stream().filter(this::canRun).toList();
        }
        List<Peers.Choice> chosen = new ArrayList<>();
        for (String name : peers) {
            Peers.Choice choice = all.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> unknown("peer", name, all.stream().map(Peers.Choice::name)));
            if (choice.obstacle() != null) {
                throw usage("cannot run here: peer=" + name + ", reason: " + choice.obstacle());
            }
            chosen.add(choice);
        }
        return chosen.stream().distinct().toList();
    }

    private boolean canRun(Peers.Choice choice) {
        String obstacle = choice.obstacle();
        if (obstacle != null) {
            progress("left out: " + choice.name() + ", " + obstacle);
        }
        return obstacle == null;
    }

    private List<Op> ops() {
        List<Op> all = List.of(Op.values());
        if (ops.contains(EVERYTHING)) {
            return all;
        }
        List<Op> chosen = new ArrayList<>();
        for (String label : ops) {
            Op op = Op.find(label);
            if (op == null) {
                throw unknown("operation", label, Arrays.stream(Op.values()).map(Op::label));
            }
            chosen.add(op);
        }
        return chosen.stream().distinct().toList();
    }

    private List<Integer> batches() {
        for (int batch : batches) {
            positive("--batches", batch);
        }
        return batches.stream().distinct().toList();
    }

    private Duration caseTime() {
        if (!(seconds > 0 && seconds <= 3600)) {
            throw usage("out of range: --seconds=" + seconds + ", more than 0, up to 3600");
        }
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private int positive(String option, int value) {
        if (value < 1) {
            throw usage("out of range: " + option + "=" + value + ", at least 1");
        }
        return value;
    }

    private ParameterException unknown(String what, String name, java.util.stream.Stream<String> valid) {
        return usage("unknown " + what + ": " + name + "; valid: " + valid.collect(Collectors.joining(", ")) + ", "
                + EVERYTHING);
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void progress(String line) {
        PrintWriter error = spec.commandLine().getErr();
        error.println(line);
        error.flush();
    }

    private void print(List<String> lines) {
        PrintWriter output = spec.commandLine().getOut();
        lines.forEach(output::println);
        output.flush();
    }
}

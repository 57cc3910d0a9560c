package dev.knitting.cli;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.observe.PoolSnapshot;
import dev.knitting.observe.RunningPools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code knit top}: what running pools do, without stopping them. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        versionProvider = Knit.Version.class,
        description = {
            "Shows the pools that run on this machine: their workers, calls and tasks.",
            "Reads the pools' shared memory; nothing is stopped or changed. Linux only: hosts are found through /proc,"
                    + " and the kernel lets you see those of your own user."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:pools were shown",
            "1:there was no pool to show (with --once), or the process has none",
            "2:wrong usage",
            "3:any other failure, such as a system without /proc"
        })
final class TopCommand implements Callable<Integer> {
    private static final int NOTHING_TO_SHOW = 1;
    /** Cursor home, clear to the end of the screen. */
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final Terminal terminal;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PID", description = "Only the pools of this process.")
    private @Nullable Long pid;

    @Option(names = "--once", description = "Shows the pools once and ends.")
    private boolean once;

    @Option(names = "--json", description = "One line of JSON each time, for programs.")
    private boolean json;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Time between two looks, at least 0.1. Default: ${DEFAULT-VALUE}.")
    private double seconds;

    TopCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(seconds >= 0.1 && seconds <= 3600)) {
            throw new ParameterException(
                    spec.commandLine(), "--interval must be 0.1 to 3600 seconds, but is " + seconds);
        }
        TopTable table = new TopTable();
        boolean shown = false;
        while (true) {
            List<PoolSnapshot> pools = look();
            if (pools.isEmpty() && (once || (pid != null && !shown))) {
                terminal.err().println(pid == null ? "top: no pool is running" : "top: no pool in process " + pid);
                return NOTHING_TO_SHOW;
            }
            if (pools.isEmpty() && pid != null) {
                return ExitCode.OK; // what it watched has ended
            }
            show(pools, table);
            shown = true;
            if (once) {
                return ExitCode.OK;
            }
            Thread.sleep(Duration.ofNanos((long) (seconds * 1e9)));
        }
    }

    private List<PoolSnapshot> look() {
        try {
            return pid == null ? RunningPools.find() : RunningPools.of(pid);
        } catch (KnittingException e) {
            if (e.code() == ErrorCode.UNSUPPORTED_PLATFORM) {
                throw new Knit.FailedException(String.valueOf(e.getMessage()), e);
            }
            throw e;
        }
    }

    private void show(List<PoolSnapshot> pools, TopTable table) throws IOException {
        byte[] text;
        if (json) {
            Map<String, @Nullable Object> line = new LinkedHashMap<>();
            line.put("millis", System.currentTimeMillis());
            line.put("pools", pools);
            text = Json.line(line);
        } else {
            String rows = table.text(pools, System.nanoTime());
            text = (terminal.outIsTerminal() && !once ? CLEAR + rows : rows).getBytes(StandardCharsets.UTF_8);
        }
        terminal.out().write(text);
        terminal.out().write('\n');
        terminal.out().flush();
    }
}

package dev.knitting.cli;

import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Sandbox;
import dev.knitting.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How {@code map}'s workers are started and how long they may take. */
final class MapWorkers {
    @Option(
            names = "--cp",
            paramLabel = "JARS",
            description = {
                "Jars and class folders that the workers need, separated as in a class path;",
                "\"folder/*\" means all jars in it. May be repeated. If the task's class is there, the workers see",
                "nothing else."
            })
    private List<String> classPath = new ArrayList<>();

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

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = {
                "Longest run of one input, such as 500ms, 30s, 1.5m; then its worker is killed and replaced.",
                "Default: none."
            })
    private @Nullable Duration timeout;

    @Option(
            names = "--retries",
            paramLabel = "N",
            description = {
                "How often an input is run again whose worker crashed, exited or ran out of memory.",
                "What throws or takes too long is not run again. Default: 0."
            })
    private int retries;

    /**
     * The entries of {@code --cp}, checked.
     *
     * @throws UsageException if one is missing, unreadable or no jar
     */
    List<Path> classPath() throws UsageException {
        return ExtraClassPath.parse(classPath);
    }

    /**
     * A builder with these options.
     *
     * @param entries what {@link #classPath} returned
     * @param foreign whether the task's class is in one of them: its workers then see these entries and nothing of this
     *     command, whose libraries might be other versions of theirs
     * @param sandbox what the task may do
     * @throws KnittingException if an option is out of its range
     */
    PoolBuilder builder(List<Path> entries, boolean foreign, Sandbox sandbox) {
        PoolBuilder builder = (workers == null ? Pool.processes() : Pool.processes(workers))
                .name("map")
                .sandbox(sandbox)
                // Each line says how long its input took.
                .tuning(tuning -> tuning.measureEachCall(true));
        Path[] paths = entries.toArray(Path[]::new);
        if (foreign) {
            builder.classPath(paths);
        } else {
            builder.addClassPath(paths);
        }
        String heap = maxHeap;
        return heap == null ? builder : builder.jvm(jvm -> jvm.maxHeap(heap));
    }

    /**
     * The task with the options of each call.
     *
     * @throws KnittingException if an option is out of its range
     */
    Task<Object, Object> with(Task<Object, Object> task) {
        Task<Object, Object> limited = task.retryOnCrash(retries);
        return timeout == null ? limited : limited.hardTimeout(timeout);
    }
}

package dev.knitting;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Everything a pool is opened with; the only home of defaults and limits. Made by {@link PoolBuilder}.
 *
 * @param isolation threads or processes
 * @param workers how many
 * @param name part of thread names and log lines
 * @param queueCapacity calls that may wait in the host
 * @param queuePolicy what happens beyond
 * @param allowOnHost whether a pool of processes may run tasks in the host
 * @param copyArguments whether thread workers get copies
 * @param memory how workers come to the shared memory
 * @param memoryDirectory where named and portable memory lies, or null for the default
 * @param doorbells how a sleeping side is woken
 * @param segmentPerWorker whether each worker maps a segment of its own
 * @param addedClassPath added to the class path of process workers
 * @param environment added to the environment of process workers
 * @param registered types allowed beyond the declared signatures
 * @param codecs codec classes
 * @param jvm options of the child JVM
 * @param payload sizes and caps
 * @param tuning spinning and parking
 * @param startTimeout how long a worker may take to accept calls
 * @param commandPrefix words before the worker's command line
 * @param output receives what process workers print, or null for the system logger {@code dev.knitting.worker}
 * @param debugWorkers whether each process worker listens for a debugger; timeouts stand still then
 * @param debug debug namespaces that are on, beside those of the environment
 * @param callbackExecutor where {@code *Async} callbacks run, or null for the JDK's choice
 * @param code what runs in the workers beside tasks
 * @param supervision default limits of calls, replacement of workers
 * @param resources what one worker process may use up
 * @param tasks checked and warmed at open
 */
public record PoolOptions(
        Isolation isolation,
        int workers,
        String name,
        int queueCapacity,
        QueuePolicy queuePolicy,
        boolean allowOnHost,
        boolean copyArguments,
        Memory memory,
        @Nullable Path memoryDirectory,
        Doorbells doorbells,
        boolean segmentPerWorker,
        List<Path> addedClassPath,
        Map<String, String> environment,
        List<Class<?>> registered,
        List<Class<? extends PayloadCodec<?>>> codecs,
        JvmOptions jvm,
        PayloadOptions payload,
        TuningOptions tuning,
        Duration startTimeout,
        List<String> commandPrefix,
        @Nullable OutputListener output,
        boolean debugWorkers,
        Set<Debug> debug,
        @Nullable Executor callbackExecutor,
        CodeOptions code,
        SupervisionOptions supervision,
        ResourceOptions resources,
        List<Task<?, ?>> tasks) {

    /** Most workers a pool can have. */
    public static final int MAX_WORKERS = 256;
    /** Most tasks a pool can number. */
    public static final int MAX_TASKS = 65_536;
    /** Calls that may wait in the host by default. */
    public static final int DEFAULT_QUEUE_CAPACITY = 65_536;
    /** How long a worker may take to accept calls by default. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(60);

    /** Copies the collections and refuses contradictions. */
    public PoolOptions {
        addedClassPath = List.copyOf(addedClassPath);
        environment = Map.copyOf(environment);
        registered = List.copyOf(registered);
        codecs = List.copyOf(codecs);
        commandPrefix = List.copyOf(commandPrefix);
        debug = Set.copyOf(debug);
        tasks = List.copyOf(tasks);
        if (memory == Memory.PORTABLE && doorbells == Doorbells.FUTEX) {
            throw contradiction("memory", memory, "doorbells", doorbells);
        }
        if (isolation == Isolation.PROCESSES && queuePolicy == QueuePolicy.CALLER_RUNS && !allowOnHost) {
            throw contradiction("queue", queuePolicy, "allowOnHost", false);
        }
        if (queuePolicy == QueuePolicy.CALLER_RUNS && code.bootstrap() != null) {
            throw contradiction(
                    "queue", queuePolicy, "bootstrap", code.bootstrap().task()); // not run in the host
        }
        if (isolation == Isolation.THREADS && !commandPrefix.isEmpty()) {
            throw contradiction("isolation", isolation, "commandPrefix", commandPrefix);
        }
        if (jvm.maxHeap() != null && jvm.options().stream().anyMatch(option -> option.startsWith("-Xmx"))) {
            throw contradiction("jvm.maxHeap", jvm.maxHeap(), "jvm.options", jvm.options());
        }
        if (debugWorkers && jvm.options().stream().anyMatch(PoolOptions::isDebugger)) {
            throw contradiction("debugWorkers", true, "jvm.options", jvm.options());
        }
        if (code.classPath() != null) {
            if (isolation == Isolation.THREADS) {
                throw contradiction("isolation", isolation, "classPath", code.classPath());
            }
            if (code.sandbox() == null) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION,
                        "code that is not the host's needs a stated sandbox, be it Sandbox.none()",
                        "option",
                        "sandbox",
                        "classPath",
                        code.classPath());
            }
        }
        if (code.isRestricted()) {
            if (isolation == Isolation.THREADS) {
                throw contradiction("isolation", isolation, "sandbox", String.valueOf(code.sandbox()));
            }
            if (memory == Memory.NAMED || memory == Memory.PORTABLE) {
                // A file can be truncated by whoever maps it, and it has a name.
                throw contradiction("memory", memory, "sandbox", String.valueOf(code.sandbox()));
            }
            if (doorbells == Doorbells.SOCKET) {
                throw contradiction("doorbells", doorbells, "sandbox", String.valueOf(code.sandbox()));
            }
            if (debugWorkers) {
                throw contradiction("debugWorkers", true, "sandbox", String.valueOf(code.sandbox()));
            }
            segmentPerWorker = true;
        }
        if (isolation == Isolation.THREADS && !resources.equals(ResourceOptions.NONE)) {
            throw contradiction("isolation", isolation, "resources", resources);
        }
        if (resources.memory() > 0 && !commandPrefix.isEmpty()) {
            // The group is the started process's, which may be another one than the worker's by then.
            throw contradiction("resources.memory", resources.memory(), "commandPrefix", commandPrefix);
        }
        if (isolation == Isolation.THREADS && segmentPerWorker) {
            throw contradiction("isolation", isolation, "segmentPerWorker", true);
        }
        if (isolation == Isolation.THREADS && supervision.spares() > 0) {
            throw contradiction("isolation", isolation, "spares", supervision.spares());
        }
        if (workers + supervision.spares() > MAX_WORKERS) {
            throw contradiction("workers", workers, "spares", supervision.spares());
        }
        tuning.dispatch().check(workers, supervision.spares(), segmentPerWorker);
        if (tuning.dispatch().inliner() != null) {
            checkInliner(tuning.dispatch().inliner(), isolation, allowOnHost, code);
        }
    }

    /** As for {@link QueuePolicy#CALLER_RUNS}: task code runs in the host, on a thread that has no caller's context. */
    private static void checkInliner(Inliner inliner, Isolation isolation, boolean allowOnHost, CodeOptions code) {
        String option = "tuning.inliner";
        if (isolation == Isolation.PROCESSES && !allowOnHost) {
            throw contradiction(option, inliner, "allowOnHost", false);
        }
        if (code.bootstrap() != null) {
            throw contradiction(option, inliner, "bootstrap", code.bootstrap().task());
        }
        if (code.context() != null) {
            throw contradiction(option, inliner, "context", code.context().getName());
        }
    }

    /** Workers and spares: how many there are at most. */
    public int places() {
        return workers + supervision.spares();
    }

    /**
     * Whether all workers serve one submit mailbox.
     *
     * @throws KnittingException BAD_OPTION if {@link Stealing#VARIABLE} decides and says neither on nor off
     */
    public boolean isStealing() {
        return tuning.dispatch()
                .stealing()
                .isOn(places(), !segmentPerWorker && !tuning.dispatch().isChosen(), System.getenv(Stealing.VARIABLE));
    }

    /** These options with other tasks. */
    public PoolOptions withTasks(List<Task<?, ?>> others) {
        return new PoolOptions(
                isolation,
                workers,
                name,
                queueCapacity,
                queuePolicy,
                allowOnHost,
                copyArguments,
                memory,
                memoryDirectory,
                doorbells,
                segmentPerWorker,
                addedClassPath,
                environment,
                registered,
                codecs,
                jvm,
                payload,
                tuning,
                startTimeout,
                commandPrefix,
                output,
                debugWorkers,
                debug,
                callbackExecutor,
                code,
                supervision,
                resources,
                others);
    }

    private static boolean isDebugger(String option) {
        return option.startsWith("-agentlib:jdwp") || option.startsWith("-Xrunjdwp");
    }

    static KnittingException contradiction(String option, Object value, String other, Object otherValue) {
        return KnittingException.of(
                ErrorCode.BAD_OPTION, "options contradict each other", option, value, other, otherValue);
    }

    /** A name and its value, as the operating system and the JVM take them: {@code name=value}. */
    static void checkName(String option, String name, String value) {
        if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
            throw KnittingException.of(ErrorCode.BAD_OPTION, "not a name", "option", option, "name", name);
        }
        if (value.indexOf('\0') >= 0) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION, "value holds a NUL", "option", option, "name", name, "value", value);
        }
    }

    static int checkRange(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "option out of range",
                    "option",
                    option,
                    "value",
                    value,
                    "least",
                    least,
                    "most",
                    most);
        }
        return value;
    }

    static long checkRange(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "option out of range",
                    "option",
                    option,
                    "value",
                    value,
                    "least",
                    least,
                    "most",
                    most);
        }
        return value;
    }
}

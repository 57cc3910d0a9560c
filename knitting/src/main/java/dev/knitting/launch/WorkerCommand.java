package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.JvmOptions;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.Sandbox;
import dev.knitting.memory.ConfinedProcess;
import dev.knitting.memory.MemoryGroups;
import dev.knitting.memory.PrivateDirectory;
import java.io.File;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The command line of a pool's workers: found once per pool, completed per worker for the price of a small list.
 *
 * <p>{@code [prefix] java @file -Dknitting.worker=<index> -XX:ErrorFile=<file> <main> <arguments>}, where {@code <main>} is
 * {@code -jar worker.jar} (see {@link WorkerJar}), a class or {@code -m} and a module. The argument
 * file (0600, in a directory of mode 0700) carries class path or module path, JVM flags, the host's settings and, last
 * so that they win, the user's options. Immutable but for its directory, which {@link #close} deletes; any thread.
 */
public final class WorkerCommand implements AutoCloseable {
    /** System property that tells a worker its index within the pool. */
    public static final String WORKER_PROPERTY = "knitting.worker";

    /**
     * System property that holds the host's class path where {@code java.class.path} names the jar that a worker is
     * started from; else not set.
     */
    public static final String CLASS_PATH_PROPERTY = "knitting.class.path";

    /** What runtimes (prefix and program) refused so far. */
    private static final Map<List<String>, Set<String>> REFUSED = new ConcurrentHashMap<>();

    private static final String MAIN_CLASS = "dev.knitting.worker.WorkerMain";

    private final List<String> prefix;
    private final Path java;
    private final Map<String, String> environment;
    private final File workingDirectory = new File(System.getProperty("user.dir"));
    private final List<String> main;
    private final List<String> userFiles;
    private final boolean setsErrorFile;
    private final List<String> words;
    private final PrivateDirectory directory;
    /** Where the start files lie: in a folder of their own, if the workers may read no other. */
    private final Path startFolder;

    private volatile StartFile argumentFile;
    private final byte[] jarContent;
    private final Path jar;
    private final AtomicInteger started = new AtomicInteger();
    /** Null if the workers are not restricted. */
    private final @Nullable SandboxPlan sandbox;

    /** A file that a worker's JVM reads, and what it holds. */
    private record StartFile(Path path, byte[] content) {}

    /** Null if the workers' memory is not limited. */
    private final @Nullable MemoryGroups memoryGroups;

    private WorkerCommand(PoolOptions options, boolean nativeAccess, String mainClass) {
        JvmOptions jvm = options.jvm();
        long memory = options.resources().memory();
        memoryGroups = memory == 0 ? null : MemoryGroups.open(memory);
        prefix = options.commandPrefix();
        java = JavaHomes.launcher(jvm.javaHome());
        environment = options.environment();
        words = new ArrayList<>(64);
        boolean replaced = options.code().classPath() != null;
        HostLoaders loaders = replaced ? HostLoaders.NONE : HostLoaders.of(options);
        String classPath;
        if (replaced) {
            classPath = ReplacedClassPath.of(options);
        } else {
            WorkerCode.checkRuntime(jvm.javaHome());
            classPath = WorkerCode.classPath(loaders, options.addedClassPath());
            WorkerCode.addNested(mainClass, loaders, options.addedClassPath(), words);
            WorkerCode.addModulePath(words);
        }
        JvmFlags.add(options, words);
        Set<String> modules =
                replaced ? ReplacedClassPath.nativeAccess(nativeAccess) : JvmFlags.nativeAccess(nativeAccess);
        boolean byJar = loaders.nestedLauncher() == null && JvmFlags.suitsJar(modules, jvm.options());
        if (byJar) {
            words.add("-D" + CLASS_PATH_PROPERTY + "=" + classPath);
        } else {
            addClassPath(classPath, modules, words);
        }
        HostSettings.addProperties(words);
        boolean restricted = options.code().isRestricted();
        if (restricted) {
            addSandbox(words);
        }
        for (Map.Entry<String, String> property : jvm.systemProperties().entrySet()) {
            words.add("-D" + property.getKey() + "=" + property.getValue());
        }
        userFiles = JvmFlags.addUserOptions(jvm.options(), words);
        setsErrorFile = !JvmFlags.has(jvm.options(), "-XX:ErrorFile=");
        words.removeAll(REFUSED.getOrDefault(runtime(), Set.of()));
        byte[] argumentFileContent = encode(words);
        jarContent = byJar ? WorkerJar.of(mainClass, classPath) : new byte[0];
        directory = PrivateDirectory.create();
        // Beside it are the temporary folders of the workers, each for one of them only.
        startFolder = restricted ? directory.makeFolder("start") : directory.path();
        argumentFile = new StartFile(startFolder.resolve("worker.args"), argumentFileContent);
        jar = startFolder.resolve("worker.jar");
        if (byJar) {
            main = List.of("-jar", jar.toString());
        } else {
            main = replaced ? List.of(mainClass) : WorkerCode.main(mainClass, loaders);
        }
        try {
            writeFiles();
            sandbox = restricted ? SandboxPlan.of(options, java, CodePaths.of(words, classPath), startFolder) : null;
        } catch (RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    /** What a JVM cannot find out in a sandbox, or should not offer there. The user's own words come later and win. */
    private static void addSandbox(List<String> to) {
        to.add("-Duser.name=" + System.getProperty("user.name"));
        // A refused connection then names the address and port.
        to.add("-Djdk.includeInExceptions=hostInfo");
        // It sees no control groups; the host does.
        to.add("-XX:ActiveProcessorCount=" + Runtime.getRuntime().availableProcessors());
        to.add("-XX:+DisableAttachMechanism");
    }

    private static void addClassPath(String classPath, Set<String> nativeModules, List<String> to) {
        if (!classPath.isEmpty()) {
            to.add("-cp");
            to.add(classPath);
        }
        if (!nativeModules.isEmpty()) {
            to.add("--enable-native-access=" + String.join(",", nativeModules));
        }
    }

    /** Writes those that are not there: temporary directories are tidied up, and a pool may start a worker weeks later. */
    private void writeFiles() {
        StartFile arguments = argumentFile;
        if (!Files.exists(arguments.path())) {
            directory.write(arguments.path(), arguments.content());
        }
        if (jarContent.length > 0 && !Files.exists(jar)) {
            directory.write(jar, jarContent);
        }
    }

    /**
     * Finds everything that does not change from worker to worker.
     *
     * @param options the pool's
     * @param nativeAccess whether the worker's runtime may call native functions (futexes, shared memory)
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} naming an option that cannot work: a missing class path
     *     entry, an unusable Java home, a word that is no JVM option; {@link ErrorCode#STARTUP_FAILED} if the host
     *     itself lacks something; {@link ErrorCode#UNSUPPORTED_PLATFORM} if the sandbox does not hold behind the command
     *     prefix or on the Java runtime that the pool names
     */
    public static WorkerCommand of(PoolOptions options, boolean nativeAccess) {
        return of(options, nativeAccess, MAIN_CLASS);
    }

    static WorkerCommand of(PoolOptions options, boolean nativeAccess, String mainClass) {
        WorkerCommand command = new WorkerCommand(options, nativeAccess, mainClass);
        Sandbox stated = options.code().sandbox();
        boolean foreign =
                options.jvm().javaHome() != null || !options.commandPrefix().isEmpty();
        if (foreign && stated != null && command.isSandboxed()) {
            try {
                SandboxProbe.check(command, stated);
            } catch (RuntimeException | Error e) {
                command.close();
                throw e;
            }
        }
        return command;
    }

    /**
     * One worker's command line.
     *
     * @param errorFile where its JVM would write a crash report
     * @param temporary a folder of its own, if it is in a sandbox; else null
     */
    record Line(
            List<String> words, Path errorFile, @Nullable Path temporary) {}

    /** The command line of the next worker. */
    Line line(int index, List<String> arguments) {
        writeFiles();
        int number = started.incrementAndGet();
        Path temporary = sandbox == null ? null : directory.makeFolder("tmp-" + number);
        Path errorFile = (temporary == null ? directory.path() : temporary).resolve("hs_err_" + number + ".log");
        List<String> words = new ArrayList<>(prefix.size() + userFiles.size() + main.size() + arguments.size() + 4);
        words.addAll(prefix);
        words.add(java.toString());
        words.add("@" + argumentFile.path());
        words.addAll(userFiles);
        words.add("-D" + WORKER_PROPERTY + "=" + index);
        if (temporary != null) {
            words.add("-Djava.io.tmpdir=" + temporary);
            words.add("-Duser.home=" + temporary);
        }
        if (setsErrorFile) {
            words.add("-XX:ErrorFile=" + errorFile);
        }
        words.addAll(main);
        words.addAll(arguments);
        return new Line(words, errorFile, temporary);
    }

    /** What decides which options a worker's JVM takes. */
    private List<String> runtime() {
        List<String> runtime = new ArrayList<>(prefix);
        runtime.add(java.toString());
        return runtime;
    }

    /**
     * Leaves out an option that the workers' JVM refused, with a warning, if it is one of ours that a worker does without.
     * Pools that open later with the same runtime leave it out from the start.
     *
     * @param said what a JVM printed that ended before it ran anything
     * @return whether it makes sense to start again
     */
    public synchronized boolean leaveOutRefused(String said) {
        String option = JvmFlags.refused(JvmFlags.OPTIONAL, said);
        if (option == null) {
            return false;
        }
        if (words.remove(option)) {
            // Under another name: a JVM that starts just now may be reading the file.
            Path file = startFolder.resolve("worker-" + words.size() + ".args");
            argumentFile = new StartFile(file, encode(words));
        }
        if (REFUSED.computeIfAbsent(runtime(), key -> ConcurrentHashMap.newKeySet())
                .add(option)) {
            LauncherLog.warning("the workers' JVM refuses an option, which is left out: option=" + option + ", java="
                    + java + ", prefix=" + prefix);
        }
        return true;
    }

    /** A process builder with command, environment and directory of the next worker. */
    ProcessBuilder builder(Line line) {
        ProcessBuilder builder = new ProcessBuilder(line.words());
        HostSettings.fixEnvironment(builder.environment(), environment);
        return builder.directory(workingDirectory);
    }

    /** Whether its workers are restricted. */
    boolean isSandboxed() {
        return sandbox != null;
    }

    /**
     * Does everything for the start of a sandboxed worker that the sandbox itself would forbid.
     *
     * @param name for error texts
     * @param standardInput file that becomes its standard input
     */
    ConfinedProcess prepare(String name, Line line, Path standardInput) {
        Charset charset = HostSettings.nativeCharset();
        SandboxPlan plan = Objects.requireNonNull(sandbox);
        List<byte[]> command = new ArrayList<>(line.words().size());
        for (String word : line.words()) {
            command.add(word.getBytes(charset));
        }
        return ConfinedProcess.prepare(
                name,
                plan.rules(),
                Objects.requireNonNull(line.temporary()),
                command,
                plan.environment(System.getenv(), environment),
                workingDirectory.getPath().getBytes(charset),
                standardInput);
    }

    /** Where workers are to be put; null if nowhere. */
    @Nullable
    MemoryGroups memoryGroups() {
        return memoryGroups;
    }

    /** The program that runs workers, an absolute path. */
    public Path java() {
        return java;
    }

    /**
     * What the argument file says, for people: of a property only its name, since its value may be a secret.
     */
    public List<String> describe() {
        List<String> shown = new ArrayList<>(words.size());
        for (String word : words) {
            int equals = word.indexOf('=');
            shown.add(word.startsWith("-D") && equals > 0 ? word.substring(0, equals) : word);
        }
        return shown;
    }

    /** The words before it that the user asked for. */
    public List<String> prefix() {
        return prefix;
    }

    /** Where argument file and crash reports lie: must be readable by a worker in a sandbox. */
    public Path directory() {
        return directory.path();
    }

    private static byte[] encode(List<String> words) {
        Charset charset = HostSettings.nativeCharset();
        CharsetEncoder encoder = charset.newEncoder();
        for (String word : words) {
            if (word.indexOf('\0') >= 0 || !encoder.canEncode(word)) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION,
                        "cannot be passed on a worker's command line",
                        "word",
                        word,
                        "charset",
                        charset);
            }
        }
        return ArgumentFile.write(words).getBytes(charset);
    }

    /** Deletes argument file and crash reports. Call when no worker of the pool runs or starts any more. */
    @Override
    public void close() {
        if (sandbox != null) {
            sandbox.close();
        }
        directory.close();
    }
}

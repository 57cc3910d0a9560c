package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The JVM flags of a worker. A flag of ours that contradicts one of the user's is left out. */
final class JvmFlags {
    private static final String OPTION = "jvm.options";
    private static final String UNNAMED = "ALL-UNNAMED";
    /** The release whose diagnostic flags were looked at. */
    private static final int KNOWN_RELEASE = 25;

    private static final int TIDY_MILLIS = 5_000;

    /**
     * Ours that make a worker better and that it does without: a JVM that refuses one is started again without it, see
     * {@link WorkerCommand#leaveOutRefused}. What a sandbox or a limit needs is never one of these.
     */
    static final Set<String> OPTIONAL = Set.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xshare:auto",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:AsyncDeflationInterval=" + TIDY_MILLIS,
            "-XX:ServiceThreadCleanupInterval=" + TIDY_MILLIS);

    private JvmFlags() {}

    /** Adds the pool's own flags and those copied from the host, but for native access. */
    static void add(PoolOptions options, List<String> to) {
        List<String> users = options.jvm().options();
        if (!choosesCollector(users)) {
            // Starts fastest, has no threads of its own, and leaves the cores to the other workers.
            to.add("-XX:+UseSerialGC");
        }
        to.add("-XX:-UsePerfData");
        to.add("-Xshare:auto");
        if (Runtime.version().feature() == KNOWN_RELEASE) {
            // Most of what an idle worker costs are two threads of the JVM that wake once and four times a second to
            // tidy tables and count monitors. Diagnostic flags: another release may not have them, and would be started
            // twice.
            to.add("-XX:+UnlockDiagnosticVMOptions");
            to.add("-XX:AsyncDeflationInterval=" + TIDY_MILLIS);
            to.add("-XX:ServiceThreadCleanupInterval=" + TIDY_MILLIS);
        }
        addHeap(options, to);
        if (options.resources().metaspace() != null) {
            to.add("-XX:MaxMetaspaceSize=" + options.resources().metaspace());
        }
        if (options.resources().directMemory() != null) {
            to.add("-XX:MaxDirectMemorySize=" + options.resources().directMemory());
        }
        to.addAll(HostArguments.get().options());
        if (options.jvm().agents()) {
            to.addAll(HostArguments.get().agents());
        }
        if (options.debugWorkers()) {
            // Port 0: the JVM takes a free one and prints it, which DebuggerPorts shows.
            to.add("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0");
        }
    }

    private static void addHeap(PoolOptions options, List<String> to) {
        String maxHeap = options.jvm().maxHeap();
        if (maxHeap != null) {
            to.add("-Xmx" + maxHeap);
        } else if (!choosesHeap(options.jvm().options())) {
            to.add(MachineMemory.maxHeapOption(options.places()));
        }
    }

    /** The modules that get native access: those of the host, and the runtime if it wants it. */
    static Set<String> nativeAccess(boolean own) {
        Set<String> modules = new LinkedHashSet<>(HostArguments.get().nativeAccess());
        if (own) {
            Module module = JvmFlags.class.getModule();
            modules.add(module.isNamed() ? module.getName() : UNNAMED);
        }
        return modules;
    }

    /**
     * Whether a worker should start from a {@link WorkerJar}: if it then keeps the JVM's prepared module graph, and if
     * nothing depends on the class path being named by an option.
     */
    static boolean suitsJar(Set<String> nativeAccess, List<String> usersOptions) {
        return nativeAccess.equals(Set.of(UNNAMED))
                && !JvmFlags.class.getModule().isNamed()
                && System.getProperty("jdk.module.path") == null
                && !has(HostArguments.get().options(), "--add-", "--patch-module=", "--illegal-native-access=")
                && !has(
                        usersOptions,
                        "@",
                        "-cp",
                        "-classpath",
                        "--class-path",
                        "-p",
                        "--module-path",
                        "--upgrade-module-path")
                && !has(usersOptions, "--add-", "--patch-module", "--limit-modules", "--enable-native-access")
                && !has(
                        usersOptions,
                        "--illegal-native-access",
                        "-XX:SharedArchiveFile",
                        "-XX:AOT",
                        "-XX:ArchiveClassesAtExit");
    }

    /**
     * Adds the user's options.
     *
     * @return argument files among them, which only the command line can name
     */
    static List<String> addUserOptions(List<String> options, List<String> to) {
        List<String> files = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (String option : options) {
            (option.startsWith("@") ? files : words).add(option);
        }
        String rest = JvmArguments.of(words).rest();
        if (rest != null) {
            // The launcher would take it for the main class.
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION, "not a JVM option", "option", OPTION, "value", rest, "example", "-Xss1m");
        }
        to.addAll(words);
        return List.copyOf(files);
    }

    /**
     * Which of these options a JVM says that it cannot take.
     *
     * @param said what it printed before it ended
     * @return the option, or null if it speaks of none of them
     */
    static @Nullable String refused(Collection<String> options, String said) {
        String named = null;
        for (String line : said.split("\n", -1)) {
            if (!line.contains("VM option")
                    && !line.contains("nrecognized option")
                    && !line.contains("not supported")) {
                continue;
            }
            for (String option : options) {
                if (line.contains("'" + nameOf(option))) {
                    return option;
                }
                // Also the option that would unlock it may be named in full.
                named = line.contains(option) ? option : named;
            }
        }
        return named;
    }

    /** {@code AsyncX} of {@code -XX:AsyncX=5}, {@code UseX} of {@code -XX:-UseX}. */
    private static String nameOf(String option) {
        String name = option;
        if (option.startsWith("-XX:")) {
            name = option.substring(option.charAt(4) == '+' || option.charAt(4) == '-' ? 5 : 4);
        }
        int equals = name.indexOf('=');
        return equals < 0 ? name : name.substring(0, equals);
    }

    /** Whether an option begins with one of these. */
    static boolean has(List<String> options, String... starts) {
        for (String option : options) {
            for (String start : starts) {
                if (option.startsWith(start)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean choosesCollector(List<String> options) {
        for (String option : options) {
            if (option.startsWith("-XX:+Use") && option.endsWith("GC")) {
                return true;
            }
        }
        return false;
    }

    private static boolean choosesHeap(List<String> options) {
        return has(options, "-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAM", "-XX:MinRAMPercentage=");
    }
}

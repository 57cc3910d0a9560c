package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The JVM flags of a worker. A flag of ours that contradicts one of the user's is left out. */
final class JvmFlags {
    private static final String OPTION = "jvm.options";

    private JvmFlags() {}

    /** Adds the pool's own flags and those copied from the host. */
    static void add(PoolOptions options, boolean nativeAccess, List<String> to) {
        List<String> users = options.jvm().options();
        if (!choosesCollector(users)) {
            // Starts fastest, has no threads of its own, and leaves the cores to the other workers.
            to.add("-XX:+UseSerialGC");
        }
        to.add("-XX:-UsePerfData");
        to.add("-Xshare:auto");
        addHeap(options, to);
        HostArguments host = HostArguments.get();
        to.addAll(host.options());
        addNativeAccess(host, nativeAccess, to);
    }

    private static void addHeap(PoolOptions options, List<String> to) {
        String maxHeap = options.jvm().maxHeap();
        if (maxHeap != null) {
            to.add("-Xmx" + maxHeap);
        } else if (!choosesHeap(options.jvm().options())) {
            to.add(MachineMemory.maxHeapOption(options.workers()));
        }
    }

    /** Once only if nobody needs it: it costs a worker its prepared module graph, some 10 ms of its start. */
    private static void addNativeAccess(HostArguments host, boolean own, List<String> to) {
        Set<String> modules = new LinkedHashSet<>(host.nativeAccess());
        if (own) {
            Module module = JvmFlags.class.getModule();
            modules.add(module.isNamed() ? module.getName() : "ALL-UNNAMED");
        }
        if (!modules.isEmpty()) {
            to.add("--enable-native-access=" + String.join(",", modules));
        }
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

    static boolean has(List<String> options, String start) {
        for (String option : options) {
            if (option.startsWith(start)) {
                return true;
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
        return has(options, "-Xmx")
                || has(options, "-XX:MaxHeapSize=")
                || has(options, "-XX:MaxRAM")
                || has(options, "-XX:MinRAMPercentage=");
    }
}

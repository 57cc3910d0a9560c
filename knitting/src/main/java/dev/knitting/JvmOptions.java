package dev.knitting;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the child JVM is started. Immutable: each method returns changed options.
 *
 * @param javaHome a JDK or JRE of release 25 or later, or null for the host's own
 * @param maxHeap as {@code -Xmx} takes it, or null for half the memory divided by the workers
 * @param options further JVM options, after the pool's own
 * @param systemProperties system properties of the worker
 * @param agents whether workers get the host's agents
 */
public record JvmOptions(
        @Nullable Path javaHome,
        @Nullable String maxHeap,
        List<String> options,
        Map<String, String> systemProperties,
        boolean agents) {
    static final JvmOptions DEFAULTS = new JvmOptions(null, null, List.of(), Map.of(), false);

    /** Copies the collections. */
    public JvmOptions {
        options = List.copyOf(options);
        systemProperties = Map.copyOf(systemProperties);
    }

    /** The runtime that workers run on. */
    public JvmOptions javaHome(Path home) {
        return new JvmOptions(home, maxHeap, options, systemProperties, agents);
    }

    /** Largest heap of one worker, e.g. {@code 512m}. */
    public JvmOptions maxHeap(String size) {
        return new JvmOptions(javaHome, checkSize("jvm.maxHeap", size), options, systemProperties, agents);
    }

    static String checkSize(String option, String size) {
        if (!size.matches("[1-9][0-9]*[kKmMgG]?")) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION, "not a size", "option", option, "value", size, "example", "512m");
        }
        return size;
    }

    /** Adds JVM options. */
    public JvmOptions options(String... more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return new JvmOptions(javaHome, maxHeap, all, systemProperties, agents);
    }

    /**
     * Adds a system property.
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if the key is empty or holds {@code =}, or either holds a NUL
     */
    public JvmOptions systemProperty(String key, String value) {
        PoolOptions.checkName("jvm.systemProperty", key, value);
        Map<String, String> all = new LinkedHashMap<>(systemProperties);
        all.put(key, value);
        return new JvmOptions(javaHome, maxHeap, options, all, agents);
    }

    /**
     * Whether workers get the host's own agents ({@code -javaagent}, {@code -agentlib}, {@code -agentpath}), for coverage
     * or tracing. Default false. Debuggers are never copied: see {@link PoolBuilder#debugWorkers()}.
     */
    public JvmOptions agents(boolean copy) {
        return new JvmOptions(javaHome, maxHeap, options, systemProperties, copy);
    }
}

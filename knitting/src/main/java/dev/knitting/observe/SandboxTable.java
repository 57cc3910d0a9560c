package dev.knitting.observe;

import dev.knitting.memory.MemoryGroups;
import dev.knitting.memory.SandboxSupport;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What of a {@link dev.knitting.Sandbox} this machine can enforce for process workers. Asks the kernel. Any thread. */
public final class SandboxTable {
    private SandboxTable() {}

    /**
     * A line for each thing that a sandbox can say: its name, then {@code exact}, {@code coarse} or {@code unsupported} and
     * what does it or what is missing. What is unsupported makes {@code open} fail for a sandbox that says it.
     */
    public static Map<String, String> probe() {
        Map<String, String> lines = new LinkedHashMap<>();
        SandboxSupport.table(false)
                .forEach((capability, entry) -> lines.put(
                        name(capability), entry.level().name().toLowerCase(Locale.ROOT) + ": " + entry.how()));
        return lines;
    }

    /** Whether this machine can enforce {@link dev.knitting.Sandbox#strict()}. */
    public static boolean isStrictSupported() {
        return SandboxSupport.table(false).entrySet().stream()
                .noneMatch(line -> line.getValue().level() == SandboxSupport.Level.UNSUPPORTED
                        && line.getKey() != SandboxSupport.Capability.CONNECT
                        && line.getKey() != SandboxSupport.Capability.BIND);
    }

    /** How {@code resources.memory} can be enforced here: {@code exact} or {@code unsupported}, and why. Tries it. */
    public static String memoryLimit() {
        return MemoryGroups.describe();
    }

    /** The kernel's Landlock ABI; 0 if there is none. */
    public static int landlockAbi() {
        return SandboxSupport.landlockAbi();
    }

    /** {@code NO_CHILD_PROCESSES} as {@code noChildProcesses}. */
    private static String name(SandboxSupport.Capability capability) {
        StringBuilder name = new StringBuilder();
        for (String word : capability.name().toLowerCase(Locale.ROOT).split("_", -1)) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }
}

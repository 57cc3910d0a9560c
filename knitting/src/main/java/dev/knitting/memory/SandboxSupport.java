package dev.knitting.memory;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What this kernel and this JVM can enforce for a sandboxed worker: probed once, by asking the kernel, not by its version.
 *
 * <p>Any thread.
 */
public final class SandboxSupport {
    /** System property that turns seccomp off when it is {@code false}, as a kernel without it would. */
    static final String SECCOMP_PROPERTY = "knitting.seccomp";

    private static final long GET_ACTION_AVAIL = 2;
    private static final int RET_ERRNO = 0x00050000;

    /** How well something is enforced. */
    public enum Level {
        /** As stated. */
        EXACT,
        /** More or less is refused than was stated; the table says what. */
        COARSE,
        /** Not at all. */
        UNSUPPORTED
    }

    /** Something that a sandbox may say. */
    public enum Capability {
        /** Which files can be read. */
        READ,
        /** Which files can be changed. */
        WRITE,
        /** Nothing can be executed. */
        NO_EXECUTE,
        /** Only certain programs can be executed. */
        EXECUTE,
        /** Paths forbidden below allowed ones. */
        DENY,
        /** TCP connections to certain ports. */
        CONNECT,
        /** Listening on certain TCP ports. */
        BIND,
        /** No other network. */
        NO_NETWORK,
        /** Which environment variables are seen. */
        ENVIRONMENT,
        /** No child processes. */
        NO_CHILD_PROCESSES,
        /** No signals to other processes. */
        SIGNALS,
        /** No look at other processes and their memory. */
        OTHER_PROCESSES,
        /** No calls that change the machine. */
        PRIVILEGES
    }

    /**
     * One line of the table.
     *
     * @param level how well
     * @param how by what, or what is missing
     */
    public record Entry(Level level, String how) {}

    private SandboxSupport() {}

    /** The table of this machine, for a worker that may start processes or not. Links native functions. */
    public static Map<Capability, Entry> table(boolean childProcesses) {
        Map<Capability, Entry> table = new LinkedHashMap<>();
        String missing = missing();
        if (!missing.isEmpty()) {
            for (Capability capability : Capability.values()) {
                table.put(capability, new Entry(Level.UNSUPPORTED, missing));
            }
            table.put(Capability.ENVIRONMENT, new Entry(Level.EXACT, "the worker's environment is written anew"));
            return table;
        }
        int abi = Landlock.abi();
        boolean seccomp = hasSeccomp();
        Entry landlock = entry(abi >= 1, "Landlock ABI " + abi, "needs Landlock (Linux 5.13, enabled at boot)");
        Entry tcp = entry(
                abi >= Landlock.ABI_TCP && seccomp,
                "Landlock ABI " + abi + ", seccomp",
                "needs Landlock ABI 4 (Linux 6.7), has " + abi);
        Entry filter = entry(seccomp, "seccomp", "needs seccomp filters");
        table.put(Capability.READ, landlock);
        table.put(Capability.WRITE, both(landlock, filter));
        table.put(Capability.NO_EXECUTE, filter);
        table.put(Capability.EXECUTE, coarse(landlock, "what can be read can be executed through the dynamic linker"));
        table.put(Capability.DENY, coarse(landlock, "the allowed folder is expanded, and cannot be listed"));
        table.put(Capability.CONNECT, tcp);
        table.put(Capability.BIND, coarse(tcp, "listening without binding takes any free port"));
        table.put(Capability.NO_NETWORK, filter);
        table.put(Capability.ENVIRONMENT, new Entry(Level.EXACT, "the worker's environment is written anew"));
        table.put(Capability.NO_CHILD_PROCESSES, filter);
        table.put(
                Capability.SIGNALS,
                childProcesses
                        ? entry(
                                abi >= Landlock.ABI_SCOPE,
                                "Landlock ABI " + abi,
                                "needs Landlock ABI 6 (Linux 6.12) if processes may be started, has " + abi)
                        : filter);
        table.put(Capability.OTHER_PROCESSES, both(landlock, filter));
        table.put(Capability.PRIVILEGES, filter);
        return table;
    }

    private static Entry entry(boolean enforced, String how, String missing) {
        return enforced ? new Entry(Level.EXACT, how) : new Entry(Level.UNSUPPORTED, missing);
    }

    private static Entry coarse(Entry entry, String why) {
        return entry.level() == Level.EXACT ? new Entry(Level.COARSE, why) : entry;
    }

    private static Entry both(Entry first, Entry second) {
        if (first.level() != Level.EXACT) {
            return first;
        }
        return second.level() == Level.EXACT ? new Entry(Level.EXACT, first.how() + ", " + second.how()) : second;
    }

    /** What rules a sandbox out altogether, or an empty text. */
    private static String missing() {
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return "needs Linux";
        }
        if (!LinuxCalls.Numbers.isKnown()) {
            return "needs x86-64 or aarch64";
        }
        if (!NativeAccess.enabled()) {
            return "needs native access: " + NativeAccess.flag();
        }
        if (!SpawnCalls.isSupported()) {
            return "needs posix_spawn_file_actions_addclosefrom_np (glibc 2.34)";
        }
        return "";
    }

    /** The highest Landlock ABI that is used here; 0 if there is none. */
    public static int landlockAbi() {
        return Landlock.abi();
    }

    /** Whether the kernel takes filters that answer with an error. */
    public static boolean hasSeccomp() {
        if (!NativeAccess.enabled() || "false".equals(System.getProperty(SECCOMP_PROPERTY))) {
            return false;
        }
        try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
            java.lang.foreign.MemorySegment action = arena.allocate(8, 8);
            SharedWords.setIntPlain(action, 0, RET_ERRNO);
            return LinuxCalls.call(ConfinedProcess.SECCOMP, GET_ACTION_AVAIL, 0, action.address(), 0, 0, 0) == 0;
        }
    }
}

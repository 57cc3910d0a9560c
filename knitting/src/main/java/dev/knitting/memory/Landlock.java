package dev.knitting.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The kernel's Landlock: a thread gives up rights for ever, for itself and for whatever it starts. Needs no privileges.
 *
 * <p>Rules name files by what they are, not by their names: a path is resolved when the rule is made, and symbolic links
 * that somebody puts there later lead nowhere new. Any thread; {@link #restrictThread} concerns the calling one.
 */
final class Landlock {
    /** System property that makes this kernel look older: a number, the highest ABI to use; 0 for none. */
    static final String PROPERTY = "knitting.landlock";

    /** First ABI that knows renames and links between folders. */
    private static final int ABI_REFER = 2;
    /** First ABI that controls truncation. */
    static final int ABI_TRUNCATE = 3;
    /** First ABI that controls TCP ports. */
    static final int ABI_TCP = 4;
    /** First ABI that controls operations of devices. */
    private static final int ABI_DEVICE = 5;
    /** First ABI that keeps signals and abstract sockets inside. */
    static final int ABI_SCOPE = 6;

    private static final long CREATE_RULESET = 444;
    private static final long ADD_RULE = 445;
    private static final long RESTRICT_SELF = 446;
    private static final int QUERY_VERSION = 1;
    private static final int RULE_PATH = 1;
    private static final int RULE_PORT = 2;
    private static final int PR_SET_NO_NEW_PRIVS = 38;

    private static final long EXECUTE = 1;
    private static final long WRITE_FILE = 1 << 1;
    private static final long READ_FILE = 1 << 2;
    private static final long READ_DIR = 1 << 3;
    /** Remove, make (but devices and sockets), all that belongs to changing a folder. */
    private static final long CHANGE_DIR = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 12;

    private static final long FIRST_RIGHTS = (1 << 13) - 1;
    private static final long REFER = 1 << 13;
    private static final long TRUNCATE = 1 << 14;
    private static final long IOCTL_DEVICE = 1 << 15;
    private static final long BIND_TCP = 1;
    private static final long CONNECT_TCP = 2;
    private static final long SCOPE_ABSTRACT_SOCKET = 1;
    private static final long SCOPE_SIGNAL = 2;

    private Landlock() {}

    /** The ABI that can be used here, 0 if there is none. Links native functions. */
    static int abi() {
        if (!NativeAccess.enabled()) {
            return 0;
        }
        long version = LinuxCalls.call(CREATE_RULESET, 0, 0, QUERY_VERSION, 0, 0, 0);
        return (int) Math.min(Math.max(0, version), Integer.getInteger(PROPERTY, Integer.MAX_VALUE));
    }

    /**
     * Makes the rules of a sandbox.
     *
     * @param rules what is allowed
     * @param own one more folder that may be written
     * @return a file descriptor, closed on exec, or the negated error number
     */
    static int ruleset(SandboxRules rules, SandboxRules.OpenPath own) {
        int abi = abi();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(24, 8);
            SharedWords.setLongPlain(attributes, 0, handled(abi));
            SharedWords.setLongPlain(attributes, 8, abi >= ABI_TCP ? BIND_TCP | CONNECT_TCP : 0);
            SharedWords.setLongPlain(attributes, 16, abi >= ABI_SCOPE ? SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL : 0);
            int size = abi >= ABI_SCOPE ? 24 : abi >= ABI_TCP ? 16 : 8;
            int ruleset = (int) LinuxCalls.call(CREATE_RULESET, attributes.address(), size, 0, 0, 0, 0);
            if (ruleset < 0) {
                return ruleset;
            }
            MemorySegment rule = arena.allocate(16, 8);
            int result = addPath(ruleset, abi, own, rule);
            result = result < 0 ? result : addRules(ruleset, abi, rules, rule);
            if (result < 0) {
                LinuxCalls.close(ruleset);
                return result;
            }
            return ruleset;
        }
    }

    private static int addRules(int ruleset, int abi, SandboxRules rules, MemorySegment rule) {
        for (SandboxRules.OpenPath path : rules.paths()) {
            int result = addPath(ruleset, abi, path, rule);
            if (result < 0) {
                return result;
            }
        }
        int result = 0;
        if (abi >= ABI_TCP) {
            for (int port : rules.confinement().connect()) {
                result = Math.min(result, addPort(ruleset, port, CONNECT_TCP, rule));
            }
            for (int port : rules.confinement().bind()) {
                result = Math.min(result, addPort(ruleset, port, BIND_TCP, rule));
            }
        }
        return result;
    }

    private static int addPath(int ruleset, int abi, SandboxRules.OpenPath path, MemorySegment rule) {
        // struct landlock_path_beneath_attr, packed: rights 8, descriptor 4.
        SharedWords.setLongPlain(rule, 0, rights(path.access(), abi));
        SharedWords.setIntPlain(rule, 8, path.descriptor());
        return (int) LinuxCalls.call(ADD_RULE, ruleset, RULE_PATH, rule.address(), 0, 0, 0);
    }

    private static int addPort(int ruleset, int port, long right, MemorySegment rule) {
        SharedWords.setLongPlain(rule, 0, right);
        SharedWords.setLongPlain(rule, 8, port);
        return (int) LinuxCalls.call(ADD_RULE, ruleset, RULE_PORT, rule.address(), 0, 0, 0);
    }

    /** Every right that this ABI controls, so that what no rule grants is refused. */
    private static long handled(int abi) {
        return FIRST_RIGHTS
                | (abi >= ABI_REFER ? REFER : 0)
                | (abi >= ABI_TRUNCATE ? TRUNCATE : 0)
                | (abi >= ABI_DEVICE ? IOCTL_DEVICE : 0);
    }

    private static long rights(Confinement.PathAccess path, int abi) {
        long rights = 0;
        if ((path.rights() & Confinement.READ) != 0) {
            rights |= READ_FILE | (path.folder() ? READ_DIR : 0);
        }
        if ((path.rights() & Confinement.WRITE) != 0) {
            rights |= WRITE_FILE | (path.folder() ? CHANGE_DIR | REFER : 0) | TRUNCATE;
        }
        if ((path.rights() & Confinement.EXECUTE) != 0) {
            rights |= EXECUTE;
        }
        return rights & handled(abi);
    }

    /**
     * Restricts the calling thread, for ever. It also gives up gaining privileges by executing programs.
     *
     * @return 0, or the negated error number
     */
    static int restrictThread(int ruleset) {
        int result = (int) LinuxCalls.call(LinuxCalls.Numbers.PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
        return result < 0 ? result : (int) LinuxCalls.call(RESTRICT_SELF, ruleset, 0, 0, 0, 0, 0);
    }
}

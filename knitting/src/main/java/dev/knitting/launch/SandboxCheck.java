package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Sandbox;
import dev.knitting.Sandbox.Access;
import dev.knitting.memory.SandboxSupport;
import dev.knitting.memory.SandboxSupport.Capability;
import dev.knitting.memory.SandboxSupport.Entry;
import dev.knitting.memory.SandboxSupport.Level;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether a sandbox can be enforced here. */
public final class SandboxCheck {
    private SandboxCheck() {}

    /**
     * Refuses a sandbox that this machine cannot enforce. Starts nothing, opens nothing.
     *
     * @throws KnittingException {@link ErrorCode#UNSUPPORTED_PLATFORM} naming everything that is missing
     */
    public static void check(Sandbox sandbox) {
        Map<Capability, Entry> table = SandboxSupport.table(sandbox.childProcesses());
        List<String> missing = new ArrayList<>();
        for (Capability wanted : wanted(sandbox)) {
            Entry entry = table.get(wanted);
            if (entry == null || entry.level() == Level.UNSUPPORTED) {
                missing.add(wanted + ": " + (entry == null ? "unknown" : entry.how()));
            }
        }
        if (!missing.isEmpty()) {
            throw KnittingException.of(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "this machine cannot enforce the sandbox",
                    "missing",
                    missing,
                    "sandbox",
                    sandbox,
                    "option",
                    "sandbox");
        }
    }

    /** What must be enforced: all that every strict sandbox promises, and what this one says. */
    private static Set<Capability> wanted(Sandbox sandbox) {
        Set<Capability> wanted = EnumSet.of(
                Capability.READ,
                Capability.WRITE,
                Capability.NO_NETWORK,
                Capability.ENVIRONMENT,
                Capability.OTHER_PROCESSES,
                Capability.PRIVILEGES);
        wanted.add(sandbox.childProcesses() ? Capability.EXECUTE : Capability.NO_CHILD_PROCESSES);
        wanted.add(Capability.SIGNALS);
        if (!sandbox.connect().isEmpty()) {
            wanted.add(Capability.CONNECT);
        }
        if (!sandbox.bind().isEmpty()) {
            wanted.add(Capability.BIND);
        }
        if (sandbox.paths().stream().anyMatch(rule -> rule.access() == Access.DENY)) {
            wanted.add(Capability.DENY);
        }
        return wanted;
    }
}

package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What happens to workers when the host exits with pools still open: one shutdown hook for all pools,
 * registered with the first. It kills, it does not ask: {@code System.exit} must not wait for a task.
 */
final class HostExit {
    private static final Set<ProcessLauncher> LAUNCHERS = ConcurrentHashMap.newKeySet();
    private static volatile boolean begun;

    private HostExit() {}

    /** Loading it registers the hook. */
    private static final class Hook implements Runnable {
        static {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(null, new Hook(), "knitting-exit", 0, false));
            } catch (IllegalStateException e) {
                begun = true;
            }
        }

        static void register() {}

        @Override
        public void run() {
            endAll();
        }
    }

    static void add(ProcessLauncher launcher) {
        Hook.register();
        if (begun) {
            throw KnittingException.of(ErrorCode.STARTUP_FAILED, "no workers can be started: the host is exiting");
        }
        LAUNCHERS.add(launcher);
    }

    static void remove(ProcessLauncher launcher) {
        LAUNCHERS.remove(launcher);
    }

    /** Whether the host is exiting: nothing may be started any more. */
    static boolean hasBegun() {
        return begun;
    }

    private static void endAll() {
        // A launcher looks at this with its lock held, and killAll takes that lock: no start slips through.
        begun = true;
        LAUNCHERS.forEach(ProcessLauncher::killAll);
    }
}

package dev.knitting.host;

import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.ResourceOptions;
import dev.knitting.launch.SandboxCheck;
import dev.knitting.memory.LastStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What a pool's options take from its workers, beside what the launcher does. */
final class Restrictions {
    private static final byte[] NOTHING = {};

    private Restrictions() {}

    /**
     * Before anything is started.
     *
     * @throws KnittingException UNSUPPORTED_PLATFORM if this machine cannot enforce the sandbox
     */
    static void check(PoolOptions options) {
        if (options.code().isRestricted()) {
            SandboxCheck.check(Objects.requireNonNull(options.code().sandbox()));
        }
    }

    /** What a worker does to itself when it starts; empty in the ordinary case. */
    static byte[] lastStep(PoolOptions options) {
        ResourceOptions resources = options.resources();
        boolean restricted = options.code().isRestricted();
        if (!restricted && resources.equals(ResourceOptions.NONE)) {
            return NOTHING;
        }
        Map<Integer, Long> limits = new LinkedHashMap<>();
        put(limits, LastStep.LIMIT_CPU_SECONDS, resources.cpuSeconds());
        put(limits, LastStep.LIMIT_PROCESSES, resources.processes());
        put(limits, LastStep.LIMIT_FILES, resources.openFiles());
        put(limits, LastStep.LIMIT_ADDRESS_SPACE, resources.addressSpace());
        if (restricted) {
            put(limits, LastStep.LIMIT_CORE, 1);
        }
        boolean filter =
                restricted && !Objects.requireNonNull(options.code().sandbox()).childProcesses();
        return LastStep.prepare(limits, resources.nice(), resources.processorMask(), restricted, filter);
    }

    private static void put(Map<Integer, Long> limits, int limit, long value) {
        if (value > 0) {
            limits.put(limit, value);
        }
    }

    /** The kernel may kill this worker before others. Of a command prefix: its process. */
    static void adjustOomScore(PoolOptions options, long pid) {
        if (options.resources().oomScoreAdj() == 0) {
            return;
        }
        try {
            Files.writeString(
                    Path.of("/proc/" + pid + "/oom_score_adj"),
                    Integer.toString(options.resources().oomScoreAdj()));
        } catch (IOException e) {
            System.getLogger("dev.knitting").log(System.Logger.Level.WARNING, "oomScoreAdj not set: pid=" + pid, e);
        }
    }
}

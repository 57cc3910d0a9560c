package dev.knitting.launch;

import dev.knitting.PoolOptions;
import dev.knitting.Sandbox;
import dev.knitting.memory.Confinement;
import dev.knitting.memory.SandboxRules;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a pool's sandboxed workers are started with: rules, environment. Made when the pool opens; closed with it.
 */
final class SandboxPlan implements AutoCloseable {
    /** Locale settings: names of files depend on them. */
    private static final List<String> LOCALE = List.of("LANG", "LC_ALL", "LC_CTYPE");

    private final Sandbox sandbox;
    private final SandboxRules rules;

    private SandboxPlan(Sandbox sandbox, SandboxRules rules) {
        this.sandbox = sandbox;
        this.rules = rules;
    }

    /**
     * Opens everything that the sandbox allows.
     *
     * @param options with a sandbox that restricts
     * @param java the program
     * @param code files that its command line names
     * @param directory of the pool's start files
     */
    static SandboxPlan of(PoolOptions options, Path java, Set<Path> code, Path directory) {
        Sandbox sandbox = Objects.requireNonNull(options.code().sandbox());
        Set<Path> base = new LinkedHashSet<>(code);
        base.add(directory);
        Path home = Objects.requireNonNull(java.resolve("../..").normalize());
        base.add(home);
        addExisting(CodePaths.SYSTEM, base);
        if (!sandbox.connect().isEmpty()) {
            addExisting(CodePaths.NETWORK, base);
        }
        Set<Path> programs = new LinkedHashSet<>();
        programs.add(java);
        addExisting(CodePaths.LINKERS, programs);
        if (sandbox.childProcesses()) {
            programs.add(home.resolve("lib/jspawnhelper"));
        }
        if (!options.commandPrefix().isEmpty()) {
            Path prefix = program(options.commandPrefix().getFirst());
            if (prefix != null) {
                programs.add(prefix);
            }
        }
        SandboxPaths paths = SandboxPaths.of(sandbox, base, programs);
        if (!paths.expanded().isEmpty()) {
            LauncherLog.warning("sandbox: sensitive places in readable folders stay closed, so these folders cannot be"
                    + " listed: pool=" + options.name() + ", folders=" + paths.expanded()
                    + ", option=sandbox.read of what is needed in them");
        }
        return new SandboxPlan(
                sandbox,
                SandboxRules.open(new Confinement(
                        paths.rules(),
                        List.copyOf(sandbox.connect()),
                        List.copyOf(sandbox.bind()),
                        sandbox.childProcesses())));
    }

    private static void addExisting(List<String> names, Set<Path> to) {
        for (String name : names) {
            Path path = Path.of(name);
            if (Files.exists(path)) {
                to.add(path);
            }
        }
    }

    /** Where the shell would find it, or null. */
    private static @Nullable Path program(String word) {
        if (word.indexOf('/') >= 0) {
            return Path.of(word).toAbsolutePath();
        }
        for (String folder : String.valueOf(System.getenv("PATH")).split(":", -1)) {
            Path candidate = Path.of(folder).resolve(word);
            if (!folder.isEmpty() && Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    SandboxRules rules() {
        return rules;
    }

    /** The worker's whole environment, {@code NAME=value} in the charset of the operating system. */
    List<byte[]> environment(Map<String, String> host, Map<String, String> added) {
        Map<String, String> own = new LinkedHashMap<>();
        for (String name : LOCALE) {
            copy(name, host, own);
        }
        for (String name : sandbox.variables()) {
            copy(name, host, own);
        }
        HostSettings.fixEnvironment(own, added);
        Charset charset = HostSettings.nativeCharset();
        List<byte[]> variables = new ArrayList<>();
        own.forEach((name, value) -> variables.add((name + "=" + value).getBytes(charset)));
        return variables;
    }

    private static void copy(String name, Map<String, String> from, Map<String, String> to) {
        String value = from.get(name);
        if (value != null) {
            to.put(name, value);
        }
    }

    @Override
    public void close() {
        rules.close();
    }
}

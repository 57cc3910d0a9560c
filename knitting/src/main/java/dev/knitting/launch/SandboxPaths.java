package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Sandbox;
import dev.knitting.Sandbox.Access;
import dev.knitting.Sandbox.PathRule;
import dev.knitting.memory.Confinement;
import dev.knitting.memory.Confinement.PathAccess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From the paths of a sandbox to rules that only allow. A forbidden path below an allowed folder turns that folder's rule
 * into rules for everything else in it.
 */
final class SandboxPaths {
    /** Rules are checked at every opening of a file, and each holds a descriptor of the host. */
    private static final int MOST_RULES = 4096;

    private static final List<String> SENSITIVE_IN_PROJECT = List.of(".env", ".git", ".npmrc", ".docker", ".secrets");
    private static final List<String> SENSITIVE_AT_HOME =
            List.of(".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube");
    private static final List<String> SENSITIVE_OF_SYSTEM = List.of("/proc", "/sys", "/dev", "/etc");

    private final List<PathAccess> rules = new ArrayList<>();
    private final Set<Path> denied = new LinkedHashSet<>();
    private final Set<Path> sensitive = new LinkedHashSet<>();
    private final Set<Path> expanded = new LinkedHashSet<>();

    private SandboxPaths() {}

    /**
     * The rules of a sandbox.
     *
     * @param sandbox what the user said
     * @param base files and folders that the JVM reads
     * @param programs what must be executed to start the worker
     */
    static SandboxPaths of(Sandbox sandbox, Collection<Path> base, Collection<Path> programs) {
        SandboxPaths paths = new SandboxPaths();
        paths.collectDenials(sandbox);
        for (Path path : base) {
            paths.allow(path, Confinement.READ, paths.denied);
        }
        for (Path program : programs) {
            paths.allow(program, Confinement.READ | Confinement.EXECUTE, paths.denied);
        }
        paths.rules.add(new PathAccess("/dev/null", Confinement.READ | Confinement.WRITE, false));
        for (PathRule rule : sandbox.paths()) {
            if (rule.access() != Access.DENY) {
                paths.allowStated(rule);
            }
        }
        return paths;
    }

    /** Rules that only allow. */
    List<PathAccess> rules() {
        return rules;
    }

    /** Folders that had to be expanded because of a default denial, not a stated one. */
    Set<Path> expanded() {
        return expanded;
    }

    private void collectDenials(Sandbox sandbox) {
        for (PathRule rule : sandbox.paths()) {
            if (rule.access() == Access.DENY) {
                Path real = real(rule.path());
                denied.add(real == null ? rule.path().toAbsolutePath().normalize() : real);
            } else {
                addSensitive(rule.path().toAbsolutePath(), SENSITIVE_IN_PROJECT);
            }
        }
        addSensitive(Path.of(System.getProperty("user.dir")), SENSITIVE_IN_PROJECT);
        addSensitive(Path.of(System.getProperty("user.home", "/")), SENSITIVE_AT_HOME);
        addSensitive(Path.of("/"), SENSITIVE_OF_SYSTEM);
    }

    private void addSensitive(Path folder, List<String> names) {
        for (String name : names) {
            Path real = real(folder.resolve(name.startsWith("/") ? name.substring(1) : name));
            if (real != null) {
                sensitive.add(real);
            }
        }
    }

    private void allowStated(PathRule rule) {
        Path real = real(rule.path());
        if (real == null) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "a path of the sandbox does not exist",
                    "option",
                    option(rule.access()),
                    "path",
                    rule.path());
        }
        for (Path path : denied) {
            if (real.startsWith(path)) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION,
                        "options contradict each other",
                        option(rule.access()),
                        rule.path(),
                        "sandbox.deny",
                        path);
            }
        }
        Set<Path> closed = new LinkedHashSet<>(denied);
        int before = closed.size();
        for (Path path : sensitive) {
            // One that is named itself, or lies in the way to what is named, is meant to be open.
            if (!real.startsWith(path)) {
                closed.add(path);
            }
        }
        if (closed.size() > before && closed.stream().skip(before).anyMatch(path -> path.startsWith(real))) {
            expanded.add(real);
        }
        allow(real, rights(rule.access()), closed);
    }

    private static int rights(Access access) {
        return switch (access) {
            case READ -> Confinement.READ;
            case WRITE -> Confinement.READ | Confinement.WRITE;
            case EXECUTE -> Confinement.READ | Confinement.EXECUTE;
            case DENY -> 0;
        };
    }

    static String option(Access access) {
        return switch (access) {
            case READ -> "sandbox.read";
            case WRITE -> "sandbox.write";
            case EXECUTE -> "sandbox.execute";
            case DENY -> "sandbox.deny";
        };
    }

    private void allow(Path path, int rights, Set<Path> closed) {
        Path real = real(path);
        if (real == null || closed.contains(real)) {
            return;
        }
        boolean folder = Files.isDirectory(real, LinkOption.NOFOLLOW_LINKS);
        if (folder && closed.stream().anyMatch(inside -> inside.startsWith(real))) {
            expand(real, rights, closed);
            return;
        }
        if (rules.size() >= MOST_RULES) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "the sandbox has too many rules; what is forbidden lies in folders with many files",
                    "option",
                    "sandbox.deny",
                    "folder",
                    real,
                    "limit",
                    MOST_RULES);
        }
        rules.add(new PathAccess(real.toString(), rights, folder));
    }

    private void expand(Path folder, int rights, Set<Path> closed) {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                // A link allows nothing itself; what it leads to has a rule of its own or none.
                if (!Files.isSymbolicLink(child)) {
                    allow(child, rights, closed);
                }
            }
        } catch (IOException e) {
            LauncherLog.debug("folder of a sandbox not expanded: " + folder, e);
        }
    }

    /** The path with all links resolved, or null if there is nothing. */
    private static @Nullable Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return null;
        }
    }
}

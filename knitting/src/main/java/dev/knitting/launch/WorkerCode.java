package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The code that workers run: class path or module path of the host, plus what the pool adds. */
final class WorkerCode {
    private static final String OPTION = "addClassPath";

    private WorkerCode() {}

    /** The words that name the main class, after a class path or module path. */
    static List<String> main(String mainClass, HostLoaders loaders) {
        Module own = WorkerCode.class.getModule();
        String nested = loaders.nestedLauncher();
        if (nested != null) {
            return List.of(nested);
        }
        return own.isNamed() ? List.of("-m", own.getName() + "/" + mainClass) : List.of(mainClass);
    }

    /** Adds the module path and what is needed to run from it, if the host has one. */
    static void addModulePath(List<String> to) {
        String modulePath = System.getProperty("jdk.module.path");
        if (modulePath != null && !modulePath.isEmpty()) {
            to.add("--module-path");
            to.add(absolute(modulePath));
        }
        Module own = WorkerCode.class.getModule();
        if (own.isNamed()) {
            addModules(own, to);
        }
    }

    /** Tells the launcher of jars within a jar what to start, and where else to look for code. */
    static void addNested(String mainClass, HostLoaders loaders, List<Path> added, List<String> to) {
        if (loaders.nestedLauncher() == null) {
            return;
        }
        to.add("-Dloader.main=" + mainClass);
        List<Path> all = new ArrayList<>(loaders.entries());
        all.addAll(added);
        if (!all.isEmpty()) {
            StringBuilder path = new StringBuilder("-Dloader.path=");
            for (Path entry : all) {
                path.append(path.charAt(path.length() - 1) == '=' ? "" : ",").append(entry.toAbsolutePath());
            }
            to.add(path.toString());
        }
    }

    /**
     * The class path: absolute entries, the host's and then the pool's. Empty if there is none (modules only).
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if an added entry does not exist
     */
    static String classPath(HostLoaders loaders, List<Path> added) {
        String host = System.getProperty("java.class.path", "");
        boolean onModulePath = WorkerCode.class.getModule().isNamed();
        StringBuilder path = new StringBuilder();
        // As a module, an empty class path is none; without modules it is the current directory.
        if (!host.isEmpty() || !onModulePath) {
            path.append(absolute(host));
        }
        // What the launcher of nested jars gets as its own path must not be loaded beside it: see addNested.
        boolean nested = loaders.nestedLauncher() != null;
        for (Path entry : nested ? List.<Path>of() : loaders.entries()) {
            append(entry, path);
        }
        for (Path entry : added) {
            if (!Files.exists(entry)) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION,
                        "class path entry does not exist",
                        "option",
                        OPTION,
                        "missing",
                        entry.toAbsolutePath());
            }
            if (!nested) {
                append(entry, path);
            }
        }
        return path.toString();
    }

    private static void append(Path entry, StringBuilder path) {
        if (!path.isEmpty()) {
            path.append(File.pathSeparatorChar);
        }
        path.append(entry.toAbsolutePath());
    }

    /** Entries made absolute: a worker may be started in another directory by its prefix. */
    private static String absolute(String path) {
        StringBuilder all = new StringBuilder(path.length() + 64);
        for (String entry : path.split(File.pathSeparator, -1)) {
            if (!all.isEmpty()) {
                all.append(File.pathSeparatorChar);
            }
            all.append(Path.of(entry).toAbsolutePath());
        }
        return all.toString();
    }

    /**
     * Modules that are part of the host's runtime image exist in no other.
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if workers are to run on another runtime
     */
    static void checkRuntime(@Nullable Path javaHome) {
        Module own = WorkerCode.class.getModule();
        if (javaHome == null
                || !own.isNamed()
                || Path.of(System.getProperty("java.home")).equals(javaHome)) {
            return;
        }
        boolean inImage = own.getLayer() != null
                && own.getLayer().configuration().findModule(own.getName()).stream()
                        .anyMatch(module -> module.reference().location().stream()
                                .anyMatch(location -> "jrt".equals(location.getScheme())));
        if (inImage) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "the application is part of the host's runtime image and cannot be run on another runtime",
                    "option",
                    "jvm.javaHome",
                    "value",
                    javaHome,
                    "alternative",
                    "classPath");
        }
    }

    /** The host's modules, and its packages opened to the runtime, which calls private methods and lambdas in them. */
    private static void addModules(Module own, List<String> to) {
        @Nullable String root = System.getProperty("jdk.module.main");
        to.add("--add-modules");
        to.add(root == null || root.isEmpty() ? "ALL-MODULE-PATH" : root);
        for (Module module : ModuleLayer.boot().modules()) {
            ModuleDescriptor descriptor = module.getDescriptor();
            String name = module.getName();
            if (module == own || isPlatform(name) || descriptor.isOpen() || descriptor.isAutomatic()) {
                continue;
            }
            Set<String> packages = new TreeSet<>(descriptor.packages());
            for (String packageName : packages) {
                to.add("--add-opens=" + name + "/" + packageName + "=" + own.getName());
            }
        }
    }

    private static boolean isPlatform(String module) {
        return module.startsWith("java.") || module.startsWith("jdk.");
    }
}

package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The code that workers run: class path or module path of the host, plus what the pool adds. */
final class WorkerCode {
    private static final String OPTION = "addClassPath";

    private WorkerCode() {}

    /** The words that name the main class. */
    static List<String> main(String mainClass) {
        Module own = WorkerCode.class.getModule();
        return own.isNamed() ? List.of("-m", own.getName() + "/" + mainClass) : List.of(mainClass);
    }

    /** Adds the options that lead to the code. */
    static void add(List<Path> added, List<String> to) {
        String modulePath = System.getProperty("jdk.module.path");
        if (modulePath != null && !modulePath.isEmpty()) {
            to.add("--module-path");
            to.add(absolute(modulePath));
        }
        Module own = WorkerCode.class.getModule();
        if (own.isNamed()) {
            addModules(own, to);
        }
        String classPath = classPath(System.getProperty("java.class.path", ""), own.isNamed(), added);
        if (!classPath.isEmpty()) {
            to.add("-cp");
            to.add(classPath);
        }
    }

    private static String classPath(String host, boolean onModulePath, List<Path> added) {
        StringBuilder path = new StringBuilder();
        // As a module, an empty class path is none; without modules it is the current directory.
        if (!host.isEmpty() || !onModulePath) {
            path.append(absolute(host));
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
            if (!path.isEmpty()) {
                path.append(File.pathSeparatorChar);
            }
            path.append(entry.toAbsolutePath());
        }
        return path.toString();
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

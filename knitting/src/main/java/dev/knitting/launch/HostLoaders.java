package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import dev.knitting.Task;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the host's application was loaded from, beyond the JVM's own class path: an application server, a build tool or
 * a fat jar puts loaders of its own between.
 *
 * <p>Looked at are the loader of this library, the loaders of the tasks named at {@code open}, and the opener's context
 * class loader, each with its parents. {@link URLClassLoader}s with files become class path entries, parents first, and
 * Spring Boot's loader of jars within a jar is started again in the worker. Anything else is refused: its classes could
 * not be found there.
 *
 * @param entries to add to the class path
 * @param nestedLauncher main class that starts a worker from the jars within the host's jar, or null
 */
record HostLoaders(List<Path> entries, @Nullable String nestedLauncher) {
    /** In releases before 3.2 and since then; the launcher is beside it. */
    private static final Set<String> NESTED_LOADERS = Set.of(
            "org.springframework.boot.loader.LaunchedURLClassLoader",
            "org.springframework.boot.loader.launch.LaunchedClassLoader");

    /** Package of the loader that {@code java Program.java} compiles into. */
    private static final String SOURCE_LAUNCHER = "com.sun.tools.javac.launcher.";

    private static final String NESTED_LAUNCHER = "PropertiesLauncher";

    /** For workers with a class path of their own. */
    static final HostLoaders NONE = new HostLoaders(List.of(), null);

    /** Those of a pool that this thread opens. */
    static HostLoaders of(PoolOptions options) {
        Finder finder = new Finder();
        finder.look(HostLoaders.class.getClassLoader());
        for (Task<?, ?> task : options.tasks()) {
            finder.look(task.loader());
        }
        for (Class<?> service : options.code().services().keySet()) {
            finder.look(service.getClassLoader());
        }
        finder.look(Thread.currentThread().getContextClassLoader());
        return new HostLoaders(List.copyOf(finder.entries), finder.nestedLauncher);
    }

    private static final class Finder {
        private final Set<ClassLoader> seen = new LinkedHashSet<>();
        private final Set<Path> entries = new LinkedHashSet<>();
        private @Nullable String nestedLauncher;

        Finder() {
            // What a worker has as well: its own class path and the platform.
            for (ClassLoader own = ClassLoader.getSystemClassLoader(); own != null; own = own.getParent()) {
                seen.add(own);
            }
        }

        void look(@Nullable ClassLoader from) {
            List<ClassLoader> chain = new ArrayList<>();
            for (ClassLoader loader = from; loader != null && seen.add(loader); loader = loader.getParent()) {
                chain.addFirst(loader);
            }
            for (ClassLoader loader : chain) {
                if (!(loader instanceof URLClassLoader files)) {
                    String kind = loader.getClass().getName();
                    throw kind.startsWith(SOURCE_LAUNCHER) ? refusedSource() : refused(loader, "kind", kind);
                }
                add(files);
            }
        }

        private void add(URLClassLoader loader) {
            for (URL url : loader.getURLs()) {
                Path file = file(url);
                if (file != null) {
                    entries.add(file);
                } else if (NESTED_LOADERS.contains(loader.getClass().getName())) {
                    nestedLauncher = loader.getClass().getPackageName() + "." + NESTED_LAUNCHER;
                } else {
                    throw refused(loader, "url", url);
                }
            }
        }

        private static @Nullable Path file(URL url) {
            if (!url.getProtocol().equals("file")) {
                return null;
            }
            try {
                return Path.of(URI.create(url.toString().replace(" ", "%20")));
            } catch (IllegalArgumentException | FileSystemNotFoundException e) {
                return null; // on another machine, or no path at all
            }
        }

        /** Very likely somebody's first program. */
        private static KnittingException refusedSource() {
            return KnittingException.of(
                    ErrorCode.STARTUP_FAILED,
                    "the program was started from its source, and its classes are in the memory of this process only",
                    "remedy",
                    "compile it, as in javac -d classes Program.java; java -cp classes Program; or use Pool.threads");
        }

        private static KnittingException refused(ClassLoader loader, String name, Object value) {
            return KnittingException.of(
                    ErrorCode.STARTUP_FAILED,
                    "the host's classes come from a loader that a worker process cannot rebuild",
                    "loader",
                    Objects.requireNonNullElse(loader.getName(), loader),
                    name,
                    value,
                    "option",
                    "classPath");
        }
    }
}

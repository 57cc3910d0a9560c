package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.PoolOptions;
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A class path in place of the host's: what the pool names, and this library, which is a module in no such worker. */
final class ReplacedClassPath {
    private ReplacedClassPath() {}

    /**
     * The library, the path that replaces the host's, and what the pool adds, in this order; absolute.
     *
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if an entry does not exist or the library is in no file
     */
    static String of(PoolOptions options) {
        StringBuilder path = new StringBuilder(library());
        append("classPath", Objects.requireNonNull(options.code().classPath()), path);
        append("addClassPath", options.addedClassPath(), path);
        return path.toString();
    }

    private static String library() {
        CodeSource source = ReplacedClassPath.class.getProtectionDomain().getCodeSource();
        @Nullable URL location = source == null ? null : source.getLocation();
        if (location == null || !location.getProtocol().equals("file")) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "the library was not loaded from a jar or folder, which a worker with a class path of its own"
                            + " needs",
                    "option",
                    "classPath",
                    "location",
                    location);
        }
        return Path.of(URI.create(location.toString().replace(" ", "%20"))).toString();
    }

    private static void append(String option, List<Path> entries, StringBuilder to) {
        for (Path entry : entries) {
            if (!Files.exists(entry)) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION,
                        "class path entry does not exist",
                        "option",
                        option,
                        "missing",
                        entry.toAbsolutePath());
            }
            to.append(File.pathSeparatorChar).append(entry.toAbsolutePath());
        }
    }

    /** The modules that get native access. */
    static Set<String> nativeAccess(boolean own) {
        return own ? Set.of("ALL-UNNAMED") : Set.of();
    }
}

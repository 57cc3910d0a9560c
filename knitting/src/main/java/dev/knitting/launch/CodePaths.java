package dev.knitting.launch;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** The files that a worker's JVM reads because its command line says so: code, agents, argument files. */
final class CodePaths {
    private static final int MOST_JARS = 10_000;

    private CodePaths() {}

    /**
     * All files and folders.
     *
     * @param words JVM options and their values
     * @param classPath entries, separated as in a class path; may be empty
     */
    static Set<Path> of(Collection<String> words, String classPath) {
        Set<Path> found = new LinkedHashSet<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            addEntry(entry, found);
        }
        for (String word : words) {
            // A property may hold any path; it does not make the JVM read it.
            if (!word.startsWith("-D") || word.startsWith("-Dloader.path=")) {
                for (String part : word.split("[=:,@]", -1)) {
                    addEntry(part, found);
                }
            }
        }
        return found;
    }

    private static void addEntry(String entry, Set<Path> to) {
        if (!entry.startsWith("/")) {
            return;
        }
        Path path = Path.of(entry.endsWith("/*") ? entry.substring(0, entry.length() - 2) : entry);
        if (!Files.exists(path) || to.size() > MOST_JARS || !to.add(path)) {
            return;
        }
        if (entry.endsWith(".jar") && Files.isRegularFile(path)) {
            addManifest(path, to);
        }
    }

    /** A jar may name others. */
    private static void addManifest(Path jar, Set<Path> to) {
        try (JarFile file = new JarFile(jar.toFile(), false)) {
            Manifest manifest = file.getManifest();
            String entries =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            if (entries == null) {
                return;
            }
            for (String entry : entries.strip().split("\\s+", -1)) {
                URI uri = jar.toUri().resolve(entry);
                if ("file".equals(uri.getScheme())) {
                    addEntry(Path.of(uri).toString(), to);
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            // The worker's JVM will not be able to read it either.
            LauncherLog.debug("class path of a jar not read: " + jar, e);
        }
    }

    /** Entries that a JVM on Linux reads besides: libraries, time zones, fonts, random numbers. */
    static final List<String> SYSTEM = List.of(
            "/lib",
            "/lib32",
            "/lib64",
            "/usr/lib",
            "/usr/lib32",
            "/usr/lib64",
            "/usr/local/lib",
            "/etc/ld.so.cache",
            "/etc/ld-musl-x86_64.path",
            "/etc/ld-musl-aarch64.path",
            "/etc/localtime",
            "/etc/timezone",
            "/usr/share/zoneinfo",
            "/usr/share/fonts",
            "/usr/share/fontconfig",
            "/etc/fonts",
            "/dev/zero",
            "/dev/random",
            "/dev/urandom");

    /** What names of machines are resolved with. */
    static final List<String> NETWORK = List.of(
            "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services");

    /** The dynamic linker, which the kernel executes together with the program. */
    static final List<String> LINKERS = List.of(
            "/lib64/ld-linux-x86-64.so.2",
            "/lib/ld-linux-aarch64.so.1",
            "/lib/ld-musl-x86_64.so.1",
            "/lib/ld-musl-aarch64.so.1");
}

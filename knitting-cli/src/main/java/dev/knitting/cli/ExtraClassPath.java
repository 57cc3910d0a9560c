package dev.knitting.cli;

import dev.knitting.Pool;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipFile;

/** The value of {@code --cp}: jars and folders of classes that are the task's, not the command's. */
final class ExtraClassPath {
    private ExtraClassPath() {}

    /**
     * The entries, checked.
     *
     * @param values each a list separated by the platform's path separator; {@code folder/*} means the jars in it
     * @throws UsageException if an entry is missing, unreadable or no jar
     */
    static List<Path> parse(List<String> values) throws UsageException {
        List<Path> entries = new ArrayList<>();
        for (String value : values) {
            for (String entry : value.split(File.pathSeparator, -1)) {
                if (entry.endsWith("/*")) {
                    addJarsOf(entry, entries);
                } else if (!entry.isEmpty()) {
                    entries.add(checked(path(entry)));
                }
            }
        }
        return entries;
    }

    /**
     * A loader for looking at signatures of the host's own classes, which may need the entries.
     *
     * @param entries what {@link #parse} returned
     */
    static URLClassLoader loader(List<Path> entries) {
        return new URLClassLoader("knit --cp", urls(entries), ExtraClassPath.class.getClassLoader());
    }

    /**
     * A loader for looking at signatures of classes in the entries. It sees what their worker will see: the JDK, the
     * entries and this library.
     *
     * @param entries what {@link #parse} returned
     */
    static URLClassLoader foreignLoader(List<Path> entries) {
        List<URL> urls = new ArrayList<>(List.of(urls(entries)));
        urls.add(Pool.class.getProtectionDomain().getCodeSource().getLocation());
        return new URLClassLoader("knit --cp", urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    /**
     * Whether a class is in the entries.
     *
     * @param className its binary name
     */
    static boolean contains(List<Path> entries, String className) throws IOException {
        try (URLClassLoader only = new URLClassLoader(urls(entries), null)) {
            return only.findResource(className.replace('.', '/') + ".class") != null;
        }
    }

    private static URL[] urls(List<Path> entries) {
        return entries.stream().map(ExtraClassPath::url).toArray(URL[]::new);
    }

    private static Path path(String entry) throws UsageException {
        try {
            return Path.of(entry).toAbsolutePath();
        } catch (InvalidPathException e) {
            throw new UsageException("not a file name in --cp: " + e.getMessage());
        }
    }

    private static void addJarsOf(String entry, List<Path> entries) throws UsageException {
        Path folder = path(entry.substring(0, entry.length() - 2));
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
            files.forEach(jars::add);
        } catch (IOException e) {
            throw new UsageException("cannot list the jars of --cp: entry=" + entry + ", reason=" + e);
        }
        if (jars.isEmpty()) {
            throw new UsageException("no jars in --cp: entry=" + entry);
        }
        jars.sort(null);
        for (Path jar : jars) {
            entries.add(checked(jar));
        }
    }

    /** The JVM passes over what it cannot read, and the class would just seem to be missing. */
    private static Path checked(Path entry) throws UsageException {
        if (!Files.exists(entry)) {
            throw new UsageException("no such file in --cp: entry=" + entry);
        }
        if (!Files.isReadable(entry)) {
            throw new UsageException("cannot read --cp: entry=" + entry);
        }
        if (!Files.isDirectory(entry)) {
            try (ZipFile jar = new ZipFile(entry.toFile())) {
                // Opening it is the check; an empty jar is fine.
                return jar.size() >= 0 ? entry : Path.of("");
            } catch (IOException e) {
                throw new UsageException("not a jar in --cp: entry=" + entry + ", reason=" + e.getMessage());
            }
        }
        return entry;
    }

    private static URL url(Path entry) {
        try {
            return entry.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("a path without a URL: path=" + entry, e);
        }
    }
}

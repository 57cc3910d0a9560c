package dev.knitting.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.knitting.Pool;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.tools.ToolProvider;

/** Builds a small application from source, packs it in some way, and runs it in a JVM of its own. */
final class Application {
    static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    static final String MAIN = "app.App";

    private static final long LONGEST_SECONDS = 120;

    private Application() {}

    /** The library's own classes. */
    static Path library() {
        return locationOf(Pool.class);
    }

    static Path locationOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    static String path(Path... entries) {
        return String.join(":", Stream.of(entries).map(Path::toString).toList());
    }

    /** Compiles sources from the test's resources, and a module declaration if one is given. */
    static Path compile(Path directory, String moduleInfo, String... sources) throws IOException {
        return compileAgainst(library().toString(), directory, moduleInfo, sources);
    }

    /** The same, against a path of jars. */
    static Path compileAgainst(String path, Path directory, String moduleInfo, String... sources) throws IOException {
        Path classes = Files.createDirectories(directory);
        List<String> words = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
        words.addAll(List.of(moduleInfo.isEmpty() ? "-cp" : "-p", path));
        for (String source : sources) {
            Path file = directory.resolveSibling(source);
            try (var in = Application.class.getResourceAsStream("/start/" + source)) {
                Files.write(file, in.readAllBytes());
            }
            words.add(file.toString());
        }
        if (!moduleInfo.isEmpty()) {
            words.add(Files.writeString(directory.resolveSibling("module-info.java"), moduleInfo)
                    .toString());
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, words.toArray(new String[0])))
                .isZero();
        return classes;
    }

    /** A jar with these manifest attributes: files of folders below the names that they are listed under. */
    static Path jar(Path jar, Map<String, String> attributes, Map<String, Path> folders) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (Map.Entry<String, Path> folder : new TreeMap<>(folders).entrySet()) {
                if (Files.isRegularFile(folder.getValue())) {
                    store(folder.getKey(), folder.getValue(), out);
                } else {
                    copy(folder.getKey(), folder.getValue(), out);
                }
            }
        }
        return jar;
    }

    private static void copy(String prefix, Path folder, JarOutputStream out) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.sorted().toList()) {
                String name = prefix + folder.relativize(file);
                if (Files.isDirectory(file)) {
                    if (!name.isEmpty()) {
                        out.putNextEntry(new JarEntry(name.endsWith("/") ? name : name + "/"));
                    }
                } else if (!name.equals("META-INF/MANIFEST.MF")) {
                    out.putNextEntry(new JarEntry(name));
                    Files.copy(file, out);
                }
            }
        }
    }

    /** A jar within a jar must not be compressed. */
    private static void store(String name, Path file, OutputStream to) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        CRC32 sum = new CRC32();
        sum.update(bytes);
        JarEntry entry = new JarEntry(name);
        entry.setMethod(JarEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(sum.getValue());
        ((JarOutputStream) to).putNextEntry(entry);
        to.write(bytes);
    }

    /** Everything of a jar, as files. */
    static Path unpack(URL jar, Path folder) throws IOException {
        try (var in = new java.util.jar.JarInputStream(jar.openStream())) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                if (!entry.isDirectory()) {
                    Path file = folder.resolve(entry.getName());
                    Files.createDirectories(file.getParent());
                    Files.copy(in, file);
                }
            }
        }
        return folder;
    }

    /** Runs a command to its end; what it printed on both outputs. */
    static String run(ProcessBuilder builder) throws Exception {
        Process process = builder.redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        return builder;
    }

    static String run(String... command) throws Exception {
        return run(builder(List.of(command)));
    }

    /** Runs {@code java} with these words. */
    static String java(String... words) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(java().toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(words));
        return run(builder(command));
    }

    /** That the application's worker ran its task, its lambda and its record. */
    static void assertServed(String output) {
        assertThat(output).contains("task=9\n", "lambda=16\n", "record=Point[x=2, y=1]\n", "knitting.worker=0\n");
    }
}

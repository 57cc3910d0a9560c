package dev.knitting;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

/** Reads a {@link Sandbox} that was written as a properties file. */
final class SandboxText {
    private static final List<String> KEYS =
            List.of("read", "write", "execute", "deny", "connect", "bind", "env", "childProcesses");

    private final Path file;
    private final Properties properties;

    private SandboxText(Path file, Properties properties) {
        this.file = file;
        this.properties = properties;
    }

    static Sandbox parse(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new KnittingException(
                    ErrorCode.BAD_OPTION,
                    KnittingException.message("sandbox file cannot be read", "file", file, "reason", e),
                    e);
        }
        return new SandboxText(file, properties).sandbox();
    }

    private Sandbox sandbox() {
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            if (!KEYS.contains(key)) {
                throw KnittingException.of(
                        ErrorCode.BAD_OPTION, "no such key of a sandbox", "file", file, "key", key, "valid", KEYS);
            }
        }
        Sandbox sandbox = Sandbox.strict()
                .read(paths("read"))
                .write(paths("write"))
                .deny(paths("deny"))
                .connect(ports("connect"))
                .bind(ports("bind"))
                .env(values("env").toArray(String[]::new))
                .childProcesses(flag("childProcesses"));
        Path[] programs = paths("execute");
        return programs.length == 0 ? sandbox : sandbox.execute(programs);
    }

    private List<String> values(String key) {
        return List.of(properties.getProperty(key, "").split(",", -1)).stream()
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .toList();
    }

    private Path[] paths(String key) {
        return values(key).stream().map(value -> path(key, value)).toArray(Path[]::new);
    }

    private Path path(String key, String value) {
        try {
            if (value.startsWith("file:")) {
                return Path.of(URI.create(value));
            }
            if (value.equals("~") || value.startsWith("~/")) {
                return Path.of(System.getProperty("user.home") + value.substring(1));
            }
            Path folder = file.toAbsolutePath().getParent();
            return folder == null ? Path.of(value) : folder.resolve(value);
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            throw bad(key, value, "a path");
        }
    }

    private int[] ports(String key) {
        return values(key).stream().mapToInt(value -> port(key, value)).toArray();
    }

    private int port(String key, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw bad(key, value, "a port");
        }
    }

    private boolean flag(String key) {
        String value = properties.getProperty(key, "false").strip();
        if (!value.equals("true") && !value.equals("false")) {
            throw bad(key, value, "true or false");
        }
        return value.equals("true");
    }

    private KnittingException bad(String key, String value, String expected) {
        return KnittingException.of(ErrorCode.BAD_OPTION, "not " + expected, "file", file, "key", key, "value", value);
    }
}

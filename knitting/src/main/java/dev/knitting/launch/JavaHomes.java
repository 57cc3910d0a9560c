package dev.knitting.launch;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the Java runtime that workers run on, and says what is wrong with one that cannot be used. */
public final class JavaHomes {
    /** Oldest release that can run a worker: what the host itself is compiled for. */
    public static final int LEAST_RELEASE = 25;

    private static final String OPTION = "jvm.javaHome";

    private JavaHomes() {}

    /**
     * The {@code java} program to start workers with.
     *
     * @param javaHome the home that option {@code jvm.javaHome} names, or null for the host's own
     * @return an absolute path of an executable file
     * @throws KnittingException {@link ErrorCode#BAD_OPTION} if a home was named and cannot be used;
     *     {@link ErrorCode#STARTUP_FAILED} if the host's own runtime has no {@code java} program
     */
    public static Path launcher(@Nullable Path javaHome) {
        return javaHome == null ? ownLauncher() : check(javaHome.toAbsolutePath());
    }

    private static Path ownLauncher() {
        Path home = Path.of(System.getProperty("java.home"));
        Path java = program(home);
        if (!Files.isExecutable(java)) {
            // A runtime image made by jpackage has no bin/java.
            throw KnittingException.of(
                    ErrorCode.STARTUP_FAILED,
                    "the host's own runtime has no java program to start workers with",
                    "javaHome",
                    home,
                    "missing",
                    java,
                    "option",
                    OPTION);
        }
        return java;
    }

    private static Path check(Path home) {
        if (!Files.isDirectory(home)) {
            throw unusable("not a Java home: no such directory", home, "missing", home);
        }
        Path java = program(home);
        if (!Files.exists(java)) {
            throw unusable("not a Java home: it has no java program", home, "missing", java);
        }
        if (!Files.isRegularFile(java) || !Files.isExecutable(java)) {
            throw unusable("not a Java home: its java program cannot be executed", home, "file", java);
        }
        String version = version(home);
        // A runtime image without a release file is taken at its word: the worker's own start will tell.
        if (version != null && feature(version) < LEAST_RELEASE) {
            throw KnittingException.of(
                    ErrorCode.BAD_OPTION,
                    "Java runtime too old for a worker",
                    "option",
                    OPTION,
                    "value",
                    home,
                    "version",
                    version,
                    "least",
                    LEAST_RELEASE);
        }
        return java;
    }

    private static KnittingException unusable(String what, Path home, String name, Path file) {
        return KnittingException.of(ErrorCode.BAD_OPTION, what, "option", OPTION, "value", home, name, file);
    }

    private static Path program(Path home) {
        return home.resolve("bin").resolve(System.getProperty("os.name").startsWith("Windows") ? "java.exe" : "java");
    }

    /** The value of {@code JAVA_VERSION} in the home's {@code release} file, or null if there is none. */
    private static @Nullable String version(Path home) {
        Path release = home.resolve("release");
        if (!Files.isRegularFile(release)) {
            return null;
        }
        try {
            for (String line : new String(Files.readAllBytes(release), StandardCharsets.UTF_8).split("\n", -1)) {
                if (line.startsWith("JAVA_VERSION=")) {
                    return line.substring("JAVA_VERSION=".length())
                            .replace('"', ' ')
                            .trim();
                }
            }
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("release file of " + OPTION + " not read: " + release, e);
        }
    }

    /** 25 of {@code 25.0.3}, {@code 25-ea}, {@code 25+36}; 8 of {@code 1.8.0_392}; the least release if unreadable. */
    private static int feature(String version) {
        String digits = version.startsWith("1.") ? version.substring(2) : version;
        int end = 0;
        while (end < digits.length() && Character.isDigit(digits.charAt(end))) {
            end++;
        }
        return end == 0 || end > 6 ? LEAST_RELEASE : Integer.parseInt(digits.substring(0, end));
    }
}

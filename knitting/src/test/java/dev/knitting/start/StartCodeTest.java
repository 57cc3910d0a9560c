package dev.knitting.start;

import static dev.knitting.start.Application.MAIN;
import static dev.knitting.start.Application.NATIVE;
import static dev.knitting.start.Application.assertServed;
import static dev.knitting.start.Application.java;
import static dev.knitting.start.Application.library;
import static dev.knitting.start.Application.path;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a worker's code comes from: each row by an application that is packed and started in that way. */
class StartCodeTest {
    private static final String CLOSED_MODULE = "module app { requires dev.knitting; }";
    private static final String OPEN_MODULE = "module app { requires dev.knitting; opens app to dev.knitting; }";

    @TempDir
    static Path home;

    private static Path classes;

    @TempDir
    Path directory;

    @BeforeAll
    static void compile() throws IOException {
        classes = Application.compile(home.resolve("classes"), "", "App.java", "Loading.java");
    }

    @Test
    void classPath_application_isServed() throws Exception {
        assertServed(java(NATIVE, "-cp", path(classes, library()), MAIN));
    }

    @Test
    void lambda_classesThatItsBodyUses_areNotLoadedByTheHost() throws Exception {
        Path alone = Application.compile(directory.resolve("lambda"), "", "LambdaApp.java");
        Path log = directory.resolve("classes.log");

        String output = java(NATIVE, "-Xlog:class+load:file=" + log, "-cp", path(alone, library()), "app.LambdaApp");

        assertThat(output).contains("result=body\n");
        assertThat(Files.readString(log)).contains("app.LambdaApp ").doesNotContain("app.LambdaApp$OnlyInTheBody");
    }

    @Test
    void classPath_withoutNativeAccess_isServed() throws Exception {
        assertServed(java("-cp", path(classes, library()), MAIN));
    }

    private String runModule(String declaration) throws Exception {
        Path module = Application.compile(directory.resolve("module"), declaration, "App.java");
        return java("--enable-native-access=dev.knitting", "-p", path(module, library()), "-m", "app/" + MAIN);
    }

    @Test
    void modulePath_applicationThatOpensItsPackage_isServed() throws Exception {
        assertServed(runModule(OPEN_MODULE));
    }

    @Test
    void modulePath_applicationThatOpensNothing_runsPrivateMethods_andNamesTheRemedyForItsRecord() throws Exception {
        assertThat(runModule(CLOSED_MODULE))
                .contains("task=9\n", "lambda=16\n", "word=--add-opens=app/app=dev.knitting\n")
                // Nothing opens it in the host, which has to read it.
                .contains("record=record is not accessible: type=app.App$Point, remedy=opens app to dev.knitting");
    }

    @Test
    void argumentFile_asIdesWriteIt_longerThanACommandLineMayBe_isServed() throws Exception {
        // One word of a command line holds 128 KiB.
        String longPath = path(classes, library()) + ":/no/such/entry/of/a/long/class/path.jar".repeat(4_000);
        Path words = Files.writeString(
                directory.resolve("idea arguments"),
                NATIVE + "\n-ea # a comment\n-classpath\n\"" + longPath + "\"\n" + MAIN + "\n");

        String output = java("@" + words);

        assertServed(output);
        assertThat(output).contains("assertions=true\n");
    }

    @Test
    void argumentFile_withTheClassPathOnly_isServed() throws Exception {
        Path words = Files.writeString(directory.resolve("cp.txt"), '"' + path(classes, library()) + '"');

        assertServed(java(NATIVE, "-cp", "@" + words, MAIN));
    }

    @Test
    void manifestJar_asSurefireMakesIt_isServed() throws Exception {
        Path moved = directory.resolve("classes with blänks");
        Files.move(Application.compile(directory.resolve("classes"), "", "App.java"), moved);
        Path booter = Application.jar(
                directory.resolve("surefirebooter.jar"),
                // Surefire writes relative entries where it can.
                Map.of(
                        "Class-Path",
                        "classes%20with%20bl%C3%A4nks/ " + library().toUri()),
                Map.of());

        assertServed(java(NATIVE, "-cp", booter.toString(), MAIN));
    }

    @Test
    void springBootJar_isServedByItsPropertiesLauncher() throws Exception {
        Path loader = Application.unpack(springBootLoader(), directory.resolve("loader"));
        Path jar = Application.jar(
                directory.resolve("application.jar"),
                Map.of(
                        "Main-Class",
                        "org.springframework.boot.loader.launch.JarLauncher",
                        "Start-Class",
                        MAIN,
                        "Spring-Boot-Classes",
                        "BOOT-INF/classes/",
                        "Spring-Boot-Lib",
                        "BOOT-INF/lib/"),
                Map.of(
                        "",
                        loader,
                        "BOOT-INF/classes/",
                        classes,
                        "BOOT-INF/lib/knitting.jar",
                        Application.jar(directory.resolve("knitting.jar"), Map.of(), Map.of("", library()))));

        String output = java(NATIVE, "-jar", jar.toString());

        assertServed(output);
        assertThat(output)
                .contains("word=org.springframework.boot.loader.launch.PropertiesLauncher\n")
                .contains("loader=org.springframework.boot.loader.launch.LaunchedClassLoader\n");
    }

    private static java.net.URL springBootLoader() throws IOException {
        for (String entry : System.getProperty("java.class.path").split(":")) {
            if (entry.contains("spring-boot-loader")) {
                return Path.of(entry).toUri().toURL();
            }
        }
        throw new IllegalStateException("spring-boot-loader is not on the test class path");
    }

    private String load(String kind) throws Exception {
        Path application = Application.compile(directory.resolve("application"), "", "App.java");
        return java(
                NATIVE,
                "-cp",
                loading().toString(),
                "app.Loading",
                kind,
                application.toString(),
                library().toString());
    }

    /** The class that makes loaders, without the application beside it. */
    private Path loading() throws IOException {
        Path alone = Files.createDirectories(directory.resolve("loading/app"));
        try (Stream<Path> files = Files.list(classes.resolve("app"))) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().startsWith("Loading")) {
                    Files.copy(file, alone.resolve(file.getFileName().toString()));
                }
            }
        }
        return alone.getParent();
    }

    @Test
    void urlClassLoader_applicationAndLibraryInIt_isServed() throws Exception {
        assertServed(load("urls"));
    }

    @Test
    void urlClassLoader_libraryInAParent_isServed() throws Exception {
        assertServed(load("chain"));
    }

    @Test
    void urlClassLoader_withCodeFromTheNetwork_isRefusedAtOpen() throws Exception {
        assertThat(load("remote"))
                .contains("refused=STARTUP_FAILED", "URLClassLoader", "url=http://127.0.0.1:1/code.jar")
                .contains("option=classPath");
    }

    @Test
    void otherLoader_isRefusedAtOpen_namingItAndTheOption() throws Exception {
        assertThat(load("opaque"))
                .contains("refused=STARTUP_FAILED", "loader=opaque", "kind=app.Loading$Opaque", "option=classPath");
    }

    @Test
    void sourceFile_startedWithoutCompiling_isRefusedAtOpen_namingTheRemedy() throws Exception {
        Path source = Files.createDirectory(directory.resolve("app")).resolve("App.java");
        try (var in = getClass().getResourceAsStream("/start/App.java")) {
            Files.copy(in, source);
        }

        String output = java(NATIVE, "-cp", library().toString(), source.toString());

        assertThat(output).contains("refused=STARTUP_FAILED", "started from its source", "remedy=compile it", "javac");
    }

    @Test
    void runtimeImage_withTheApplicationInside_isServed_withoutJavaProgramRefused() throws Exception {
        Path jlink = Path.of(System.getProperty("java.home"), "bin", "jlink");
        assumeTrue(Files.isExecutable(jlink), "no jlink in this JDK");
        Path module = Application.compile(directory.resolve("module"), OPEN_MODULE, "App.java");
        Path image = directory.resolve("image");
        Application.run(
                jlink.toString(),
                "--module-path",
                path(module, library()),
                "--add-modules",
                "app",
                "--output",
                image.toString());
        String java = image.resolve("bin/java").toString();

        String output = Application.run(java, "--enable-native-access=dev.knitting", "-m", "app/" + MAIN);
        assertServed(output);
        assertThat(output).contains("java.home=" + image.toRealPath() + "\n");

        assertThat(Application.run(java, "-m", "app/" + MAIN, "--home=" + System.getProperty("java.home")))
                .contains("refused=BAD_OPTION", "option=jvm.javaHome", "alternative=classPath");

        // As jpackage makes it: the program that starts the host is not called java.
        Files.move(image.resolve("bin/java"), image.resolve("bin/launcher"));
        assertThat(Application.run(image.resolve("bin/launcher").toString(), "-m", "app/" + MAIN))
                .contains(
                        "refused=STARTUP_FAILED",
                        "missing=" + image.toRealPath().resolve("bin/java"))
                .contains("option=jvm.javaHome");
    }
}

package dev.knitting.start;

import static dev.knitting.start.Application.NATIVE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The recipes of {@code docs/logging.md}, run with the libraries that they are for. */
class LoggingRecipesTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", System.getProperty("user.dir")))
            .toAbsolutePath();
    private static final Pattern XML = Pattern.compile("(?s)```xml\n(.*?)```");

    /** A library, its files, and what the application's own configuration is called. */
    enum Library {
        LOGBACK("LogbackApp", "logback.xml", "logback-worker.xml", "logback.configurationFile", """
            <configuration>
              <appender name="FILE" class="ch.qos.logback.core.FileAppender">
                <file>app.log</file><append>false</append>
                <encoder><pattern>%msg%n</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
            </configuration>
            """),
        LOG4J("Log4jApp", "log4j2.xml", "log4j2-worker.xml", "log4j2.configurationFile", """
            <Configuration>
              <Appenders>
                <File name="FILE" fileName="app.log" append="false"><PatternLayout pattern="%msg%n"/></File>
              </Appenders>
              <Loggers><Root level="info"><AppenderRef ref="FILE"/></Root></Loggers>
            </Configuration>
            """);

        final String application;
        final String file;
        final String workersFile;
        final String property;
        final String configuration;

        Library(String application, String file, String workersFile, String property, String configuration) {
            this.application = application;
            this.file = file;
            this.workersFile = workersFile;
            this.property = property;
            this.configuration = configuration;
        }
    }

    @TempDir
    Path directory;

    /** The guide's configuration for workers: the first one is Logback's, the second one Log4j's. */
    private static String ofTheGuide(Library library) throws IOException {
        List<String> blocks = XML.matcher(Files.readString(MODULE.resolveSibling("docs/logging.md")))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(Library.values().length);
        return blocks.get(library.ordinal());
    }

    /** Knitting, the application, and every logging library but the other one's. */
    private String classPath(Library library) throws IOException {
        List<Path> path = new ArrayList<>(List.of(directory.resolve("classes"), Application.library()));
        try (Stream<Path> jars = Files.list(MODULE.resolve("target/logging"))) {
            jars.filter(jar -> jar.getFileName().toString().startsWith("log4j") == (library == Library.LOG4J))
                    .forEach(path::add);
        }
        return Application.path(path.toArray(Path[]::new));
    }

    private String run(Library library, String... arguments) throws Exception {
        String path = classPath(library);
        Application.compileAgainst(path, directory.resolve("classes"), "", library.application + ".java");
        List<String> command = new ArrayList<>(List.of(
                Application.java().toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                NATIVE,
                "-cp",
                path,
                "app." + library.application));
        command.addAll(List.of(arguments));
        return Application.run(Application.builder(command).directory(directory.toFile()));
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(Files.createDirectories(directory.resolve("classes")).resolve(file), text);
    }

    @ParameterizedTest
    @EnumSource
    void configurationsOfTheGuide_workerWritesToTheHostsOutputAndToNoFile(Library library) throws Exception {
        write(library.file, library.configuration);
        write(library.workersFile, ofTheGuide(library));

        String output = run(library, library.property + "=" + library.workersFile);

        assertThat(output)
                .contains("result=done\n", "[app-0] INFO " + library.application + ": from the worker")
                .doesNotContain("from the host");
        assertThat(directory.resolve("app.log"))
                .as("the host's file: not opened a second time")
                .hasContent("from the host\n");
    }

    @Test
    void oneConfigurationForBoth_thatAsksForTheWorkersNumber_writesFilesOfTheirOwn() throws Exception {
        write("logback.xml", Library.LOGBACK.configuration.replace("app.log", "app-${knitting.worker:-host}.log"));

        assertThat(run(Library.LOGBACK)).contains("result=done\n");

        assertThat(directory.resolve("app-host.log")).hasContent("from the host\n");
        assertThat(directory.resolve("app-0.log")).hasContent("from the worker\n");
    }
}

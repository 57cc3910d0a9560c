package dev.knitting.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java block of the documents compiles; those with a main method run and print what the document says. */
class SnippetsTest {
    private static final long RUN_SECONDS = 120;

    @TempDir
    private static Path directory;

    private static final Map<Path, Path> CLASSES = new HashMap<>();

    private record Source(Snippet snippet, URI uri) {
        JavaFileObject file() {
            return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                    return snippet.source();
                }
            };
        }
    }

    /** Blocks of one document may use each other's classes. */
    @BeforeAll
    static void compileAll() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        // One for all: each would open every jar of the class path anew.
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            for (Path document : Checkout.documents()) {
                List<JavaFileObject> sources = new ArrayList<>();
                for (Snippet snippet : Snippet.of(document)) {
                    URI uri = URI.create("string:///" + snippet.className() + ".java");
                    sources.add(new Source(snippet, uri).file());
                }
                if (!sources.isEmpty()) {
                    compile(document, sources, compiler, files);
                }
            }
        }
    }

    private static void compile(
            Path document, List<JavaFileObject> sources, JavaCompiler compiler, StandardJavaFileManager files)
            throws IOException {
        Path classes = Files.createDirectory(directory.resolve("classes" + CLASSES.size()));
        CLASSES.put(document, classes);
        List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        boolean compiled =
                compiler.getTask(null, files, null, options, null, sources).call();
        assertThat(compiled)
                .as("%s compiles; the compiler's messages are above", document)
                .isTrue();
    }

    static Stream<Snippet> runnable() throws IOException {
        List<Snippet> found = new ArrayList<>();
        for (Path document : Checkout.documents()) {
            Snippet.of(document).stream().filter(Snippet::hasMain).forEach(found::add);
        }
        return found.stream();
    }

    @Test
    void readme_snippets_showTheQuickStartAndItsOutput() throws IOException {
        assertThat(Snippet.of(Checkout.ROOT.resolve("README.md"))).anySatisfy(snippet -> {
            assertThat(snippet.className()).isEqualTo("Quickstart");
            assertThat(snippet.source()).contains("Pool.processes(");
            assertThat(snippet.output()).isNotEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("runnable")
    void run_snippetWithMain_printsWhatTheDocumentSays(Snippet snippet) throws Exception {
        Path classes = Objects.requireNonNull(CLASSES.get(snippet.document()));
        Path output = Files.createTempFile(directory, "out", ".txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        snippet.className())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(RUN_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as("ends in time; it printed: %s", printed).isTrue();
        assertThat(process.exitValue()).as("exit code; it printed: %s", printed).isZero();
        if (snippet.output() != null) {
            assertThat(printed.strip()).isEqualTo(snippet.output());
        }
    }
}

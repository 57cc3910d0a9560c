import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/// Checks or applies the layout of all Java sources: palantir-java-format (4 spaces, 120 columns).
///
/// The parent pom runs this file in a JVM of its own on the JDK of the sources, because the formatter parses with the
/// compiler of the JDK it runs on, and Maven may run on an older one. Two things of Java 25 the formatter cannot parse:
/// `import module`, and a bare `_` inside a record pattern (`P(int a, _)`), for which `var _` does the same.
///
/// Arguments: `check` or `apply`, then the root of the checkout.
final class Format {
    private static final Formatter FORMATTER = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .build());

    private Format() {}

    public static void main(String[] args) throws IOException {
        boolean apply = switch (args[0]) {
            case "apply" -> true;
            case "check" -> false;
            default -> throw new IllegalArgumentException("format: expected check or apply, not " + args[0]);
        };
        Path root = Path.of(args[1]);
        var wrong = new ConcurrentLinkedQueue<String>();
        var broken = new ConcurrentLinkedQueue<String>();
        sources(root).parallelStream().forEach(file -> {
            try {
                String before = Files.readString(file);
                String after = FORMATTER.formatSourceAndFixImports(before);
                if (!after.equals(before)) {
                    wrong.add(root.relativize(file).toString());
                    if (apply) {
                        Files.writeString(file, after);
                    }
                }
            } catch (FormatterException | IOException e) {
                broken.add(root.relativize(file) + ": " + e.getMessage());
            }
        });
        wrong.stream().sorted().forEach(f -> System.out.println((apply ? "formatted: " : "not formatted: ") + f));
        broken.stream().sorted().forEach(f -> System.out.println("cannot be parsed: " + f));
        if (!apply && !wrong.isEmpty()) {
            System.out.println("To format them: mvn -q -N verify -Dformat=apply");
        }
        System.exit(!broken.isEmpty() || (!apply && !wrong.isEmpty()) ? 1 : 0);
    }

    /// The sources of every module and of the tools themselves.
    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> children = Files.list(root)) {
            return Stream.concat(children.map(c -> c.resolve("src")), Stream.of(root.resolve("tools")))
                    .filter(Files::isDirectory)
                    .flatMap(Format::javaFiles)
                    .toList();
        }
    }

    private static Stream<Path> javaFiles(Path tree) {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(f -> f.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

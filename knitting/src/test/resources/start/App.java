package app;

import dev.knitting.KnittingException;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Task;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.TimeZone;

/** An application as users write them: nothing public but main, private methods and lambdas as tasks. */
public final class App {
    private static final Task<Long, Long> SQUARE = Task.of(App::square);
    private static final Task<Path, Boolean> EXISTS = Task.of(App::exists);

    /** Changed by the host before it opens the pool. */
    private static int counter = 1;

    private record Point(int x, int y) {}

    private static long square(long n) {
        return n * n;
    }

    private static boolean exists(Path file) {
        return Files.exists(file);
    }

    private static Path same(Path file) {
        return file;
    }

    /** Looks for everything in a folder, and sends it forth and back. */
    private static void find(Path folder, Pool pool) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path file : all) {
                Path name = file.getFileName();
                System.out.println("exists=" + pool.invoke(EXISTS, file)
                        + " same=" + file.equals(pool.invoke(() -> same(file)))
                        + " name=" + name.equals(pool.invoke(() -> same(name))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Point mirror(Point p) {
        return new Point(p.y(), p.x());
    }

    /** What the worker sees around it, one line each. */
    private static String facts() {
        System.out.println("printed by the worker");
        System.err.println("an error line of the worker");
        StringBuilder text = new StringBuilder();
        try {
            text.append("stdin=").append(System.in.read()).append('\n');
            for (String word : Files.readString(Path.of("/proc/self/cmdline")).split("\0")) {
                text.append("word=").append(word).append('\n');
                if (word.startsWith("@")) {
                    for (String line : Files.readAllLines(Path.of(word.substring(1)))) {
                        text.append("word=").append(line).append('\n');
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String name : new String[] {
            "knitting.worker",
            "user.dir",
            "app.property",
            "agent.loaded",
            "com.sun.management.jmxremote.port",
            "java.home"
        }) {
            text.append(name).append('=').append(System.getProperty(name)).append('\n');
        }
        for (String name : new String[] {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "ADDED"}) {
            text.append(name).append('=').append(System.getenv(name)).append('\n');
        }
        text.append("counter=").append(counter).append('\n');
        text.append("locale=").append(Locale.getDefault()).append('\n');
        text.append("format=").append(Locale.getDefault(Locale.Category.FORMAT)).append('\n');
        text.append("zone=").append(TimeZone.getDefault().getID()).append('\n');
        text.append("charset=").append(Charset.defaultCharset()).append('\n');
        text.append("assertions=").append(App.class.desiredAssertionStatus()).append('\n');
        text.append("opened=")
                .append(Object.class.getModule().isOpen("java.lang", App.class.getModule()))
                .append('\n');
        text.append("heap=").append(Runtime.getRuntime().maxMemory() >> 20).append('\n');
        text.append("loader=")
                .append(App.class.getClassLoader().getClass().getName())
                .append('\n');
        return text.toString();
    }

    /** Arguments: {@code --option} words for the builder, then a folder to look through. */
    public static void main(String[] arguments) {
        counter = 7;
        PoolBuilder builder = Pool.processes().workers(1).name("app").environment("ADDED", "yes");
        Path folder = null;
        for (String argument : arguments) {
            if (argument.equals("--agents")) {
                builder.jvm(j -> j.agents(true));
            } else if (argument.equals("--property")) {
                builder.jvm(
                        j -> j.systemProperty("app.property", "from the pool").maxHeap("100m"));
            } else if (argument.equals("--change")) {
                Locale.setDefault(Locale.of("de", "AT"));
                Locale.setDefault(Locale.Category.FORMAT, Locale.of("fr", "CA"));
                TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
            } else if (argument.startsWith("--home=")) {
                Path home = Path.of(argument.substring("--home=".length()));
                builder.jvm(j -> j.javaHome(home));
            } else {
                folder = Path.of(argument);
            }
        }
        try (Pool pool = builder.open(SQUARE)) {
            System.out.println("task=" + pool.invoke(SQUARE, 3L));
            long n = 4;
            System.out.println("lambda=" + pool.invoke(() -> square(n)));
            Point point = new Point(1, 2);
            try {
                System.out.println("record=" + pool.invoke(() -> mirror(point)));
            } catch (KnittingException e) {
                System.out.println("record=" + e.getMessage());
            }
            if (folder != null) {
                find(folder, pool);
            }
            System.out.print(pool.invoke(() -> facts()));
        } catch (KnittingException e) {
            System.out.println("refused=" + e.code() + " " + e.getMessage());
        }
    }
}

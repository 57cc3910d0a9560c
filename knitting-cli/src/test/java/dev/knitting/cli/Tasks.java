package dev.knitting.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Methods that tests name with {@code --task}. */
final class Tasks {
    static final CountDownLatch SECOND_HAS_RUN = new CountDownLatch(1);

    private Tasks() {}

    @SuppressWarnings("ArrayRecordComponent") // Nobody compares it.
    record Point(int y, String name, byte[] data) {}

    static String name(Path file) {
        return file.getFileName().toString();
    }

    static int length(byte[] content) {
        return content.length;
    }

    static String upper(String content) {
        return content.toUpperCase(java.util.Locale.ROOT);
    }

    static String failsOnB(Path file) {
        if (name(file).startsWith("b")) {
            throw new IllegalStateException("b is not welcome");
        }
        return name(file);
    }

    /** The first file's result comes only after the second one's. */
    static String firstIsSlow(Path file) throws InterruptedException {
        if (name(file).startsWith("a")) {
            SECOND_HAS_RUN.await();
        } else {
            SECOND_HAS_RUN.countDown();
        }
        return name(file);
    }

    static Object kinds(Path file) {
        return switch (name(file)) {
            case "record" -> new Point(7, null, new byte[] {1, 2, (byte) 0xff});
            case "list" -> Arrays.asList(1, "two", null, 3.5, true);
            case "map" -> new LinkedHashMap<>(Map.of("key", List.of("value")));
            case "nothing" -> null;
            case "nan" -> Double.NaN;
            case "surrogate" -> "half \uD83E of a pair, and a whole \uD83E\uDDF6";
            case "path" -> Path.of("a", "b");
            case "duration" -> Duration.ofMillis(1500);
            case "thread" -> Thread.currentThread();
            default -> throw new IllegalArgumentException(name(file));
        };
    }

    static Thread thread(Path file) {
        return Thread.currentThread();
    }

    static List<Thread> threads(Path file) {
        return List.of(Thread.currentThread());
    }

    static List<Point> points(Path file) {
        return List.of(new Point(1, "n", new byte[0]));
    }

    static int failsAtLength(Path file) {
        throw new IllegalStateException("first\n  second\r\nthird\n" + "x".repeat(10_000));
    }

    static String takes50Millis(Path file) {
        long end = System.nanoTime() + 50_000_000;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return name(file);
    }

    /** Ends when it is interrupted. */
    static String blocks(Path file) throws InterruptedException {
        new CountDownLatch(1).await();
        return name(file);
    }

    /** Ends the whole worker. */
    static String diesOnDie(Path file) {
        if (name(file).equals("die")) {
            Runtime.getRuntime().halt(7);
        }
        return name(file);
    }

    /** Never returns; tells by a file named "started" beside its argument that it runs. */
    static String hangs(Path file) throws Exception {
        Files.createFile(file.resolveSibling("started"));
        new CountDownLatch(1).await();
        return "never";
    }

    static void nothing(Path file) {}

    static int twoArguments(Path file, int n) {
        return n;
    }

    static int wrongType(int n) {
        return n;
    }

    int notStatic(Path file) {
        return 1;
    }

    static int overloaded(Path file) {
        return 1;
    }

    static int overloaded(String text) {
        return 2;
    }

    static int overloadedButOneFits(Path file) {
        return 1;
    }

    static int overloadedButOneFits(int n) {
        return 2;
    }

    /** Whoever initialises it is found out. */
    static final class Loud {
        static {
            System.setProperty("knit.test.loud", "initialised");
        }

        private Loud() {}

        static int run(Path file) {
            return 1;
        }
    }
}

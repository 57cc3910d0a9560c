package dev.knitting.launch;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.TimeZone;

/** What the tests start in place of a worker. The first argument says what it does. */
public final class ChildMain {
    private ChildMain() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "say" -> System.out.println(args[1]);
            case "exit" -> {
                System.out.println("to standard output");
                System.err.println("to standard error: \"é\"");
                System.exit(Integer.parseInt(args[1]));
            }
            case "describe" -> describe();
            case "flood" -> flood(Integer.parseInt(args[1]), args[2]);
            case "grandchild" -> grandchild(args[1], args[2]);
            case "wait" -> {
                System.out.println("ready");
                await();
            }
            case "resource" -> {
                try (var in = ClassLoader.getSystemResourceAsStream(args[1])) {
                    System.out.println(
                            in == null ? "no resource" : new String(in.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
            case "native" ->
                System.out.println("nativeAccess=" + ChildMain.class.getModule().isNativeAccessEnabled());
            case "stdin" -> System.out.println("stdin=" + new String(System.in.readAllBytes(), StandardCharsets.UTF_8));
            case "heap" -> {
                byte[][] all = new byte[100_000][];
                for (int i = 0; i < all.length; i++) {
                    all[i] = new byte[1 << 20];
                }
                System.out.println(Arrays.hashCode(all[0]));
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Until it is killed: standard input is empty, and nobody interrupts. */
    private static void await() throws InterruptedException {
        Thread.currentThread().join();
    }

    private static void describe() {
        System.out.println("worker=" + System.getProperty("knitting.worker"));
        System.out.println("classPath=" + System.getProperty("java.class.path"));
        System.out.println("quoted=" + System.getProperty("test.quoted"));
        System.out.println("encoding=" + System.getProperty("file.encoding"));
        System.out.println("jnu=" + System.getProperty("sun.jnu.encoding"));
        System.out.println("locale=" + Locale.getDefault());
        System.out.println("zone=" + TimeZone.getDefault().getID());
        System.out.println("directory=" + System.getProperty("user.dir"));
        System.out.println("maxHeap=" + Runtime.getRuntime().maxMemory());
        System.out.println("toolOptions=" + System.getenv("JAVA_TOOL_OPTIONS"));
        System.out.println("jdkOptions=" + System.getenv("JDK_JAVA_OPTIONS"));
        System.out.println("added=" + System.getenv("KNITTING_TEST_ADDED"));
        System.out.println("lcAll=" + System.getenv("LC_ALL"));
    }

    /** Lines of 100 bytes, or a single one. */
    private static void flood(int bytes, String shape) throws IOException {
        byte[] line = "x".repeat(99).concat(shape.equals("lines") ? "\n" : "x").getBytes(StandardCharsets.US_ASCII);
        PrintStream out = System.out;
        for (int written = 0; written < bytes; written += line.length) {
            out.write(line);
        }
        out.println("\nlast line");
        out.flush();
    }

    /** Starts a process that holds the output pipe, says its number, and ends or waits. */
    private static void grandchild(String seconds, String then) throws Exception {
        Process sleep = new ProcessBuilder("sleep", seconds).inheritIO().start();
        System.out.println("grandchild=" + sleep.pid());
        if (then.equals("wait")) {
            await();
        }
        // Not System.exit, not a wait for it: the JVM just ends while the process runs on.
    }
}

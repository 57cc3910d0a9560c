package dev.knitting.cli;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What documents of strangers make a program do; the file's name says what. */
final class HostileTasks {
    private static final int PRINTED_LINES = 100_000;
    /** A 100 bytes with the line break. */
    private static final String PRINTED_LINE = "x".repeat(99);

    private HostileTasks() {}

    static String run(Path file) throws IOException {
        String name = file.getFileName().toString();
        switch (name.substring(name.indexOf('-') + 1)) {
            case "loop" -> loop();
            case "heap" -> exhaustTheHeap();
            case "halt" -> Runtime.getRuntime().halt(3);
            case "exit" -> System.exit(4);
            case "crash" -> dereferenceNull();
            case "print" -> printTenMegabytesAndThrow();
            case "halt-once" -> {
                if (isFirstRun(file)) {
                    Runtime.getRuntime().halt(3);
                }
            }
            case "throw-once" -> {
                if (isFirstRun(file)) {
                    throw new IOException("the first time only");
                }
            }
            case "throw" -> throw new IOException("damaged on purpose");
            default -> {
                // A good one.
            }
        }
        return name;
    }

    private static boolean isFirstRun(Path file) throws IOException {
        Path mark = file.resolveSibling(file.getFileName() + ".ran");
        if (Files.exists(mark)) {
            return false;
        }
        Files.createFile(mark);
        return true;
    }

    @SuppressWarnings("InfiniteLoop") // The point of it.
    private static void loop() {
        while (true) {
            Thread.onSpinWait();
        }
    }

    @SuppressWarnings("InfiniteLoop") // The heap ends it.
    private static void exhaustTheHeap() {
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            kept.add(new byte[1 << 20]);
        }
    }

    @SuppressWarnings("restricted") // A native crash is what it is for.
    private static void dereferenceNull() {
        int value = MemorySegment.NULL.reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0);
        throw new AssertionError("address 0 could be read: value=" + value);
    }

    private static void printTenMegabytesAndThrow() throws IOException {
        for (int line = 0; line < PRINTED_LINES; line++) {
            System.out.println(PRINTED_LINE);
        }
        throw new IOException("printed enough");
    }
}

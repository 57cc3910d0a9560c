package dev.knitting.host;

import dev.knitting.Task;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tasks that go to a limit of their worker or of the machine. */
final class BoundTasks {
    static final Task<Long, MemorySegment> MAKE_SEGMENT = Task.of(BoundTasks::makeSegment);
    static final Task<MemorySegment, Long> LENGTH = Task.of(BoundTasks::length);
    static final Task<Integer, Object> DEEP = Task.of(BoundTasks::deep);
    static final Task<Void, Object> CYCLE = Task.of(BoundTasks::cycle);
    static final Task<Integer, List<Object>> WIDE = Task.of(BoundTasks::wide);
    static final Task<Integer, Integer> PRINT = Task.of(BoundTasks::print);
    static final Task<Integer, Long> LEAVE_CHILD_AND_HALT = Task.of(BoundTasks::leaveChildAndHalt);
    static final Task<Void, Integer> OPEN_FILES = Task.of(BoundTasks::openFiles);
    static final Task<Void, Integer> OPEN_FILES_AND_KEEP = Task.of(BoundTasks::openFilesAndKeep);

    private static final List<AutoCloseable> KEPT = new ArrayList<>();

    private BoundTasks() {}

    /** Memory that does not exist: whoever looks at its size first never notices. */
    @SuppressWarnings("restricted")
    static MemorySegment makeSegment(long bytes) {
        return MemorySegment.ofAddress(4096).reinterpret(bytes);
    }

    static long length(MemorySegment segment) {
        return segment.byteSize();
    }

    static Object deep(int levels) {
        Object value = "bottom";
        for (int i = 0; i < levels; i++) {
            value = List.of(value);
        }
        return value;
    }

    static Object cycle() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        return list;
    }

    static List<Object> wide(int elements) {
        List<Object> list = new ArrayList<>(elements);
        for (int i = 0; i < elements; i++) {
            list.add(i);
        }
        return list;
    }

    /** So many lines of a kilobyte, on both outputs. */
    static int print(int lines) {
        String line = "x".repeat(1000);
        for (int i = 0; i < lines; i++) {
            (i % 2 == 0 ? System.out : System.err).println(line);
        }
        return lines;
    }

    /** Ends its worker while a child of it holds its output open for so many seconds. */
    static long leaveChildAndHalt(int seconds) throws IOException {
        new ProcessBuilder("sleep", Integer.toString(seconds)).inheritIO().start();
        Runtime.getRuntime().halt(5);
        return seconds;
    }

    /** Opens files until there are no descriptors, then lets go of them. */
    static int openFiles() throws Exception {
        try {
            return openFilesAndKeep();
        } finally {
            for (AutoCloseable kept : KEPT) {
                kept.close();
            }
            KEPT.clear();
        }
    }

    static int openFilesAndKeep() throws IOException {
        for (int i = 0; i < 1_000_000; i++) {
            KEPT.add(Files.newInputStream(Path.of("/dev/null")));
        }
        return KEPT.size();
    }
}

package dev.knitting.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Processor time of a process at one moment.
 *
 * <p>Linux counts nanoseconds for each thread; elsewhere, and where that is off, there is only the sum, in steps of 10
 * ms or so.
 */
final class CpuTime {
    /** Before a process has used any. */
    static final CpuTime ZERO = new CpuTime(Map.of());

    private static final long WHOLE_PROCESS = -1;

    private final Map<Long, Long> nanosByThread;

    private CpuTime(Map<Long, Long> nanosByThread) {
        this.nanosByThread = nanosByThread;
    }

    static CpuTime of(ProcessHandle process) throws IOException {
        Map<Long, Long> threads = threads(process.pid());
        if (threads.isEmpty()) {
            Duration total = process.info().totalCpuDuration().orElse(Duration.ZERO);
            threads.put(WHOLE_PROCESS, total.toNanos());
        }
        return new CpuTime(threads);
    }

    private static Map<Long, Long> threads(long pid) throws IOException {
        Map<Long, Long> threads = new HashMap<>();
        Path directory = Path.of("/proc", Long.toString(pid), "task");
        if (!Files.isDirectory(directory)) {
            return threads;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                putNanos(threads, entry);
            }
        }
        return threads;
    }

    private static void putNanos(Map<Long, Long> threads, Path thread) throws IOException {
        try {
            String text = Files.readString(thread.resolve("schedstat"));
            long id = Long.parseLong(thread.getFileName().toString());
            threads.put(id, Long.parseLong(text.substring(0, text.indexOf(' '))));
        } catch (NoSuchFileException e) {
            // The thread has ended since we listed it, or the kernel does not count.
            return;
        }
    }

    /** Nanoseconds used since an earlier moment. What a thread used that has ended in between is not known. */
    long since(CpuTime earlier) {
        long nanos = 0;
        for (Map.Entry<Long, Long> thread : nanosByThread.entrySet()) {
            nanos += thread.getValue() - earlier.nanosByThread.getOrDefault(thread.getKey(), 0L);
        }
        return nanos;
    }
}

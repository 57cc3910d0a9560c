package dev.knitting.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a pool must not leave behind: child processes, threads, files, file descriptors; and waiting with a bound. */
final class Watch {
    private static final Duration LONGEST = Duration.ofSeconds(30);
    /** Other programs on this machine may run pools too. */
    private static final List<String> OWN_PREFIXES = List.of(
            "knitting-" + ProcessHandle.current().pid() + "-",
            "knit-" + Long.toString(ProcessHandle.current().pid(), 36) + "-");

    private final Set<Long> children = children();
    private final Set<String> files = files();
    private final Set<Thread> threads = knittingThreads();

    /** What there is now, and so is not a leftover. */
    static Watch start() {
        return new Watch();
    }

    /** Fails unless everything new is gone within half a minute. */
    void assertNothingLeft() {
        await("child processes", () -> newOf(children(), children).isEmpty());
        awaitNoNewThread();
        await("files", () -> newOf(files(), files).isEmpty());
    }

    private void awaitNoNewThread() {
        long end = System.nanoTime() + LONGEST.toNanos();
        Set<Thread> left;
        while (!(left = newOf(knittingThreads(), threads)).isEmpty()) {
            Thread first = left.iterator().next();
            assertThat(System.nanoTime() - end)
                    .as("still alive: %s, at %s", left, Arrays.asList(first.getStackTrace()))
                    .isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Fails unless everything new but daemon threads of tasks that never end is gone. */
    void assertNoProcessAndNoFileLeft() {
        await("child processes", () -> newOf(children(), children).isEmpty());
        await("files", () -> newOf(files(), files).isEmpty());
    }

    Set<Long> newChildren() {
        return newOf(children(), children);
    }

    private static <T> Set<T> newOf(Set<T> now, Set<T> before) {
        now.removeAll(before);
        return now;
    }

    private static Set<Long> children() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .map(ProcessHandle::pid)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Thread> knittingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("knitting-")
                        && !thread.getName().startsWith("knitting-callback-")) // these end when they were idle for 5 s
                .collect(Collectors.toSet());
    }

    private static Set<String> files() {
        Set<String> found = new TreeSet<>();
        for (Path directory : Set.of(Path.of(System.getProperty("java.io.tmpdir")), Path.of("/dev/shm"))) {
            if (!Files.isDirectory(directory)) {
                continue;
            }
            try (Stream<Path> all = Files.list(directory)) {
                all.filter(path -> OWN_PREFIXES.stream()
                                .anyMatch(path.getFileName().toString()::startsWith))
                        .forEach(path -> found.add(path.toString()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    /** Open file descriptors of this process, or -1 where that cannot be seen. */
    static int descriptors() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return (int) all.count();
        } catch (IOException e) {
            return -1;
        }
    }

    static void await(String what, BooleanSupplier condition) {
        await(what, LONGEST, condition);
    }

    static void await(String what, Duration longest, BooleanSupplier condition) {
        long end = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("still waiting for: " + what).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }
}

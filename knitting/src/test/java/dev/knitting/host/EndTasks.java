package dev.knitting.host;

import dev.knitting.Task;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Tasks that end their worker, one way or another. */
final class EndTasks {
    static final Task<Void, Long> DEREFERENCE_NULL = Task.of(EndTasks::dereferenceNull);
    static final Task<Integer, Integer> PRINT_AND_EXIT = Task.of(EndTasks::printAndExit);
    static final Task<Void, Long> EXHAUST = Task.of(EndTasks::exhaust);
    static final Task<Void, Long> THROW_OUT_OF_MEMORY = Task.of(EndTasks::throwOutOfMemory);
    static final Task<Void, Long> FAIL_IN_A_THREAD = Task.of(EndTasks::failInAThread);
    static final Task<String, Long> HALT_AT_FIRST = Task.of(EndTasks::haltAtFirst);
    static final Task<String, Long> MARK_AND_HALT = Task.of(EndTasks::markAndHalt);
    static final Task<Void, Long> HANG_AT_EXIT = Task.of(EndTasks::hangAtExit);

    private EndTasks() {}

    @SuppressWarnings("restricted") // the worker has native access
    static long dereferenceNull() {
        return MemorySegment.NULL.reinterpret(8).get(ValueLayout.JAVA_LONG, 0);
    }

    static int printAndExit(int code) {
        System.out.println("last words");
        System.exit(code);
        return code;
    }

    static long exhaust() {
        List<byte[]> all = new ArrayList<>();
        while (true) {
            all.add(new byte[1 << 20]);
        }
    }

    static long throwOutOfMemory() {
        throw new OutOfMemoryError("on purpose");
    }

    static long failInAThread() throws InterruptedException {
        Thread failing = new Thread(() -> {
            throw new IllegalStateException("on purpose");
        });
        failing.start();
        failing.join();
        return DeathTasks.pid();
    }

    /** Marks its run; the first one ends the process. */
    static long haltAtFirst(String file) throws IOException {
        DeathTasks.mark(file);
        int runs = Files.readAllLines(Path.of(file)).size();
        if (runs == 1) {
            Runtime.getRuntime().halt(3);
        }
        return runs;
    }

    static long markAndHalt(String file) throws IOException {
        DeathTasks.mark(file);
        Runtime.getRuntime().halt(4);
        return 0;
    }

    static long hangAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        return DeathTasks.pid();
    }
}

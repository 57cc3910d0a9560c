package dev.knitting.host;

import dev.knitting.KnittingException;
import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A host that a test starts under a limit. Prints a line for what it sees; the last one is {@code end}. */
public final class BoundHost {
    private BoundHost() {}

    /** Runs one scenario. */
    public static void main(String[] arguments) throws Exception {
        try {
            switch (arguments[0]) {
                case "memory" -> memory(Path.of(arguments[1]));
                case "open" -> open(Path.of(arguments[1]));
                case "descriptors" -> descriptors();
                case "processes" -> processes();
                case "ceiling" -> ceiling();
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        } catch (KnittingException e) {
            System.out.println(e.code() + " | " + e.getMessage());
        }
        System.out.println("end");
    }

    private static PoolBuilder pool() {
        return Pool.processes(1)
                .name("bound")
                .startTimeout(Duration.ofSeconds(40))
                .jvm(jvm -> jvm.maxHeap("64m").options("-XX:ReservedCodeCacheSize=32m"));
    }

    /** A file system of a few MiB: arguments and results until it is full, and then small ones again. */
    private static void memory(Path directory) throws Exception {
        try (Pool pool = pool().memory(Memory.NAMED)
                .memoryDirectory(directory)
                .payload(payload -> payload.maxBytes(16 << 20).ceilingBytes(32 << 20))
                .open()) {
            for (int i = 0; i < 3; i++) {
                attempt("argument", () -> pool.invoke(ContractTasks.ECHO_BYTES, new byte[8 << 20]).length);
                attempt("result", () -> pool.invoke(ContractTasks.MAKE_BYTES, 8 << 20).length);
            }
            attempt("small", () -> pool.invoke(ContractTasks.ECHO_BYTES, new byte[100_000]).length);
            Path fill = directory.resolve("fill");
            try (var out = Files.newOutputStream(fill)) {
                while (true) {
                    out.write(new byte[4096]);
                }
            } catch (java.io.IOException e) {
                System.out.println("full | " + e.getMessage());
            }
            attempt("beyond", () -> pool.invoke(HostileTasks.FORGE, "beyond"));
            Files.delete(fill);
            attempt("small", () -> pool.invoke(ContractTasks.ECHO_BYTES, new byte[100_000]).length);
        }
    }

    private static void open(Path directory) {
        pool().memory(Memory.NAMED).memoryDirectory(directory).open().close();
    }

    /** No descriptors: in the worker, then in the host while a worker must be replaced. */
    private static void descriptors() throws Exception {
        try (Pool pool = pool().open(ContractTasks.INC, DeathTasks.HALT)) {
            attempt("worker", () -> pool.invoke(BoundTasks.OPEN_FILES));
            attempt("then", () -> pool.invoke(ContractTasks.ECHO_BYTES, new byte[1 << 20]).length);
            attempt("kept", () -> pool.invoke(BoundTasks.OPEN_FILES_AND_KEEP));
            attempt("then", () -> pool.invoke(ContractTasks.ECHO_BYTES, new byte[3 << 20]).length);
            List<AutoCloseable> all = new ArrayList<>();
            try {
                while (true) {
                    all.add(Files.newInputStream(Path.of("/dev/null")));
                }
            } catch (java.io.IOException e) {
                System.out.println("host | " + e.getMessage());
            }
            attempt("halt", () -> pool.invoke(DeathTasks.HALT, 7));
            var waiting = pool.submit(ContractTasks.INC, 1L); // served, or told after some attempts that nothing starts
            for (AutoCloseable each : all) {
                each.close();
            }
            attempt("waited", () -> waiting.get(40, TimeUnit.SECONDS));
            attempt("replaced", () -> servedAgain(pool));
        }
    }

    private static long servedAgain(Pool pool) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (true) {
            try {
                return pool.invoke(ContractTasks.INC, 1L);
            } catch (KnittingException e) {
                if (System.nanoTime() - until > 0) {
                    throw e;
                }
                LockSupport.parkNanos(50_000_000); // the pool goes on trying
            }
        }
    }

    private static void processes() {
        try (Pool pool = pool().open()) {
            attempt("served", () -> pool.invoke(ContractTasks.INC, 1L));
        }
    }

    /** More address space than there is; then a pool that needs less. */
    private static void ceiling() {
        try {
            pool().payload(payload -> payload.ceilingBytes(16L << 30)).open().close();
        } catch (KnittingException e) {
            System.out.println(e.code() + " | " + e.getMessage());
        }
        try (Pool pool =
                pool().payload(payload -> payload.ceilingBytes(1 << 20)).open()) {
            attempt("served", () -> pool.invoke(ContractTasks.INC, 1L));
        }
    }

    private interface Work {
        Object run() throws Exception;
    }

    private static void attempt(String what, Work work) {
        try {
            System.out.println(what + " | " + work.run());
        } catch (KnittingException e) {
            System.out.println(what + " | " + e.code() + " | " + e.getMessage());
        } catch (Exception e) {
            System.out.println(what + " | " + e);
        }
    }
}

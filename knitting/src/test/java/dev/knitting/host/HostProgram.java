package dev.knitting.host;

import dev.knitting.Memory;
import dev.knitting.Pool;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A host of its own: opens a pool, says its workers' numbers, and ends as it is told, never closing the pool. */
public final class HostProgram {
    private HostProgram() {}

    public static void main(String[] arguments) throws Exception {
        Memory memory = Memory.valueOf(arguments[0]);
        String end = arguments[2];
        Pool pool = Pool.processes(2)
                .name("host-death")
                .memory(memory)
                .memoryDirectory(Path.of(arguments[1]))
                .jvm(jvm -> jvm.maxHeap("64m"))
                .open(ContractTasks.INC);
        long sum = 0;
        for (long i = 0; i < 100; i++) {
            sum += pool.submit(ContractTasks.INC, i).join();
        }
        ProcessHandle.current().descendants().forEach(worker -> System.out.println("worker=" + worker.pid()));
        System.out.println("sum=" + sum);
        System.out.println("ready");
        switch (end) {
            case "hang" -> {
                while (true) {
                    LockSupport.park();
                }
            }
            case "busy" -> {
                while (true) {
                    pool.submit(ContractTasks.SPIN_MILLIS, 2_000L).join();
                }
            }
            case "exit" -> {
                // Not even in the main thread.
                Thread.ofPlatform().start(() -> System.exit(5)).join();
            }
            case "return" -> System.out.println("returns from main");
            case "throw" -> throw new IllegalStateException("main ends with an exception");
            default -> throw new IllegalArgumentException(end);
        }
    }
}

package dev.knitting.host;

import dev.knitting.Memory;
import dev.knitting.Pool;
import dev.knitting.PoolBuilder;
import dev.knitting.Sandbox;
import dev.knitting.escape.DescriptorThief;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A host of its own: opens a pool, says when it is ready, waits for a byte, and ends as it is told, never closing the pool. Arguments:
 * kind of memory, its directory, the end, and the words of a command prefix.
 */
public final class HostProgram {
    private HostProgram() {}

    public static void main(String[] arguments) throws Exception {
        Memory memory = Memory.valueOf(arguments[0]);
        String end = arguments[2];
        PoolBuilder builder = Pool.processes(2);
        if (Boolean.getBoolean("host.sandbox")) {
            builder.sandbox(Sandbox.strict());
        }
        Pool pool = builder.name("host-death")
                .memory(memory)
                .memoryDirectory(Path.of(arguments[1]))
                .jvm(jvm -> jvm.maxHeap("64m"))
                .commandPrefix(Arrays.copyOfRange(arguments, 3, arguments.length))
                .open(ContractTasks.INC);
        long sum = 0;
        for (long i = 0; i < 100; i++) {
            sum += pool.submit(ContractTasks.INC, i).join();
        }
        System.out.println("sum=" + sum);
        System.out.println("ready");
        System.in.read(); // the test looks at the processes first
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
            case "blind" -> {
                pool.invoke(() -> DescriptorThief.take());
                pool.invoke(() -> DescriptorThief.take());
                System.out.println("blind");
                while (true) {
                    LockSupport.park();
                }
            }
            case "exit" -> {
                // Not even in the main thread.
                Thread.ofPlatform().start(() -> System.exit(5)).join();
            }
            case "halt" -> Runtime.getRuntime().halt(6);
            case "return" -> System.out.println("returns from main");
            case "throw" -> throw new IllegalStateException("main ends with an exception");
            case "error" -> throw new AssertionError("main ends with an error");
            case "memory" -> {
                List<byte[]> all = new ArrayList<>();
                while (true) {
                    all.add(new byte[1 << 20]);
                }
            }
            default -> throw new IllegalArgumentException(end);
        }
    }
}

package dev.knitting.host;

import dev.knitting.Call;
import dev.knitting.Memory;
import dev.knitting.Pool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A host of its own that suffers what the property {@code knitting.fault} says, while it calls in every way it can: until it
 * dies. Its second worker dies again and again. Arguments: kind of memory, and its directory.
 */
public final class HostFaultProgram {
    private static final int ROUNDS = 5_000;

    private HostFaultProgram() {}

    public static void main(String[] arguments) throws Exception {
        try (Pool pool = Pool.processes(2)
                .name("host-fault")
                .memory(Memory.valueOf(arguments[0]))
                .memoryDirectory(Path.of(arguments[1]))
                .jvm(jvm -> jvm.maxHeap("64m"))
                .open(FaultTasks.INC)) {
            for (int round = 0; round < ROUNDS; round++) {
                List<Call<?>> calls = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    calls.add(pool.submit(FaultTasks.INC, (long) i));
                    calls.add(pool.submit(FaultTasks.REVERSE, new byte[2_000]));
                }
                calls.reversed().forEach(Call::join);
                pool.submit(FaultTasks.HALT_WORKER, 1)
                        .handle((result, failure) -> result)
                        .join();
            }
        }
        System.exit(1); // nothing has happened to it
    }
}

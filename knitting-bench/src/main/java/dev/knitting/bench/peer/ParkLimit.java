package dev.knitting.bench.peer;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * The limit of sleeping sides: two JVMs, each sleeps on a word until the other has stored the next number there. Never
 * spins. Each direction has a pair of cache lines of its own, for its number and its payload.
 */
final class ParkLimit {
    static final List<String> JVM_OPTIONS = List.of("--enable-native-access=ALL-UNNAMED");
    private static final VarHandle NUMBER = JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final long CALL_OFFSET = 128;
    private static final long REPLY_OFFSET = 256;
    private static final long PAYLOAD_OFFSET = 8;
    private static final int GONE = -1;

    private final MemorySegment call;
    private final MemorySegment reply;
    private int number;

    ParkLimit(MemorySegment memory) {
        call = memory.asSlice(CALL_OFFSET, PAYLOAD_OFFSET + Long.BYTES);
        reply = memory.asSlice(REPLY_OFFSET, PAYLOAD_OFFSET + Long.BYTES);
    }

    /** Host. */
    long call(long value) throws IOException {
        int before = number;
        number = before + 1 & Integer.MAX_VALUE;
        post(call, value, number);
        if (await(reply, before) == GONE) {
            throw new IOException("the other side is gone");
        }
        return reply.get(JAVA_LONG, PAYLOAD_OFFSET);
    }

    /** Host: ends a call whose child has ended. */
    void gone() {
        post(reply, 0, GONE);
    }

    private static void post(MemorySegment direction, long value, int number) {
        direction.set(JAVA_LONG, PAYLOAD_OFFSET, value);
        NUMBER.setRelease(direction, 0L, number);
        Futex.wake(direction);
    }

    private static int await(MemorySegment direction, int before) {
        int now = (int) NUMBER.getAcquire(direction, 0L);
        while (now == before) {
            Futex.await(direction, before);
            now = (int) NUMBER.getAcquire(direction, 0L);
        }
        return now;
    }

    private void serve() {
        while (true) {
            number = await(call, number);
            post(reply, BenchTasks.inc(call.get(JAVA_LONG, PAYLOAD_OFFSET)), number);
        }
    }

    /** Child: answers every call, for ever. Argument: the file to map. */
    public static void main(String[] args) throws IOException {
        ChildJvm.endWithParent();
        ParkLimit limit =
                new ParkLimit(Limit.map(Path.of(args[0]), Arena.global()).words());
        Futex.wake(limit.call); // linked before the first call
        System.out.println("ready");
        limit.serve();
    }
}

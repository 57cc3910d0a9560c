package dev.knitting.boot;

import dev.knitting.ErrorCode;
import dev.knitting.KnittingException;
import dev.knitting.Task;
import dev.knitting.TaskTarget;
import dev.knitting.fuzz.Allocation;
import java.util.List;

/** Fuzz target: what a worker is told, and what tools read of it, after somebody else wrote there. */
public final class BootFuzz {
    private static final long MOST_BYTES = 4L << 20;

    private BootFuzz() {}

    /** The first byte says what the rest is read as. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        byte[] bytes = java.util.Arrays.copyOfRange(data, 1, data.length);
        Allocation.bounded(MOST_BYTES, () -> read(data[0], bytes));
    }

    private static void read(byte kind, byte[] bytes) {
        try {
            if ((kind & 1) == 0) {
                WorkerConfig.fromBytes(bytes);
            } else {
                TaskDescription.fromBytes(bytes);
            }
        } catch (KnittingException e) {
            if (e.code() != ErrorCode.CORRUPT_PEER) {
                throw e;
            }
        }
    }

    /** Good inputs. */
    public static List<byte[]> seeds() {
        WorkerConfig config = new WorkerConfig(
                1 << 20,
                1 << 20,
                1,
                2,
                true,
                false,
                List.of("a.B"),
                List.of("c.D"),
                3,
                4,
                "pool",
                0,
                true,
                new byte[9],
                new byte[3],
                "");
        TaskDescription task = new TaskDescription(
                new TaskTarget(TaskTarget.Kind.STATIC, "a.B", "run", "(J)J"), Task.Form.VALUE, false, false, 7, "");
        return List.of(with((byte) 0, config.toBytes()), with((byte) 1, task.toBytes()));
    }

    private static byte[] with(byte first, byte[] rest) {
        byte[] bytes = new byte[rest.length + 1];
        bytes[0] = first;
        System.arraycopy(rest, 0, bytes, 1, rest.length);
        return bytes;
    }
}

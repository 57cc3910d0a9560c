package dev.knitting.host;

import dev.knitting.Task;
import dev.knitting.TaskContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A task that leaves a trace of what became of it in a file that test and workers map: one byte a call. */
final class RaceTasks {
    /** How often the call was entered, in the low bits. */
    static final int ENTERED = 0x0F;
    /** The call was interrupted although nobody had asked it to stop: the interrupt was another call's. */
    static final int FOREIGN_INTERRUPT = 0x10;
    /** The task saw the flag, or was interrupted. */
    static final int LEARNED = 0x20;
    /** The task ran to its end. */
    static final int LEFT = 0x40;

    static final Task<Job, Integer> RUN = Task.of(RaceTasks::run);

    /**
     * One call.
     *
     * @param trace the file
     * @param index the call's byte there
     * @param micros how long it works; interrupts and flags end it early if it listens
     * @param listens whether it looks at the flag and parks, rather than spinning blindly
     */
    record Job(String trace, int index, int micros, boolean listens) {}

    private record Mapped(String path, MappedByteBuffer bytes) {}

    private static volatile @Nullable Mapped mapped;

    private RaceTasks() {}

    static MappedByteBuffer map(String path) {
        Mapped known = mapped;
        if (known != null && known.path.equals(path)) {
            return known.bytes;
        }
        try (FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Mapped made = new Mapped(path, file.map(FileChannel.MapMode.READ_WRITE, 0, file.size()));
            mapped = made;
            return made.bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int run(Job job) {
        TaskContext context = TaskContext.current();
        // First the flag of the thread, then the call's own: an interrupt that is meant for this call comes after its
        // flag.
        boolean interruptedAtOnce = Thread.currentThread().isInterrupted();
        int trace = interruptedAtOnce && !context.cancelled() ? FOREIGN_INTERRUPT : 0;
        boolean interruptedByTask = interruptedAtOnce && Thread.interrupted();
        MappedByteBuffer bytes = map(job.trace); // a channel closes when its thread is interrupted
        if (interruptedByTask) {
            Thread.currentThread().interrupt();
        }
        bytes.put(job.index, (byte) (bytes.get(job.index) + 1 | trace));
        boolean learned = job.listens ? listen(context, job.micros) : spin(job.micros);
        bytes.put(job.index, (byte) (bytes.get(job.index) | LEFT | (learned ? LEARNED : 0)));
        return job.index;
    }

    private static boolean listen(TaskContext context, int micros) {
        long end = System.nanoTime() + micros * 1_000L;
        while (System.nanoTime() - end < 0) {
            if (context.cancelled() || Thread.currentThread().isInterrupted()) {
                return true;
            }
            LockSupport.parkNanos(20_000);
        }
        return false;
    }

    private static boolean spin(int micros) {
        CancelTasks.spinMicros(micros);
        return false;
    }
}

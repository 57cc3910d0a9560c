package dev.knitting.jmh;

import dev.knitting.mailbox.MailboxReader;
import dev.knitting.mailbox.MailboxWriter;
import dev.knitting.mailbox.SlotLayout;
import dev.knitting.mailbox.SlotMeta;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What do publishing and taking a message cost apart from the way of its line between two cores? */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class MailboxBenchmark {
    private static final long META = SlotMeta.pack(1, (byte) 2, 0, 0);

    private final MemorySegment memory = Arena.ofAuto().allocate(SlotLayout.MAILBOX_BYTES, 64);
    private final MailboxWriter writer = new MailboxWriter(memory, 0);
    private final MailboxReader reader = new MailboxReader(memory, 0, 0);
    private long position;

    /** One message of one word, there and taken. */
    @Benchmark
    public long publishAndTake() {
        long at = position++;
        writer.publishWord(at, at, META, at);
        if (reader.isEmpty()) {
            throw new IllegalStateException("not published: position=" + at);
        }
        long slot = reader.slot();
        long sum = reader.callIdPlain(slot) + reader.metaPlain(slot) + reader.wordPlain(slot, 0);
        reader.advance();
        return sum;
    }

    /** A look at a mailbox where nothing is. */
    @Benchmark
    public boolean lookInVain() {
        return reader.isEmpty();
    }
}

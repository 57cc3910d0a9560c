package dev.knitting.jmh;

import dev.knitting.Call;
import dev.knitting.Isolation;
import dev.knitting.Pool;
import dev.knitting.Task;
import dev.knitting.bench.peer.BenchTasks;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a call allocate? With {@code -prof gc}: {@code PROCESSES} counts the host alone, {@code THREADS} with copied
 * arguments counts host and worker.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class CallBenchmark {
    private static final int BATCH = 100;
    private static final Task<Long, Long> INC = Task.of(BenchTasks::inc);

    /** Where the worker runs. */
    @Param({"THREADS", "PROCESSES"})
    public Isolation isolation = Isolation.THREADS;

    private Pool pool = Pool.direct();
    private long value = 1_000_000;

    /** One worker. */
    @Setup
    public void open() {
        pool = Pool.of(isolation)
                .workers(1)
                .copyArguments(isolation == Isolation.THREADS)
                .open(INC);
    }

    /** Ends it. */
    @TearDown
    public void close() {
        pool.close();
    }

    /** A blocking call. */
    @Benchmark
    public long invoke() {
        return pool.invoke(INC, value++);
    }

    /** A hundred calls, then all their results. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long batch() {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Call<Long>[] calls = new Call[BATCH];
        for (int i = 0; i < BATCH; i++) {
            calls[i] = pool.submit(INC, value++);
        }
        long sum = 0;
        for (Call<Long> call : calls) {
            sum += call.join();
        }
        return sum;
    }
}

package dev.knitting.jmh;

import dev.knitting.bench.peer.Order;
import dev.knitting.codec.Payload;
import dev.knitting.codec.TypeTable;
import dev.knitting.codec.ValueCodec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What do encoding and decoding a value cost, and what do they allocate? */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class CodecBenchmark {
    private static final long MAX_BYTES = 1 << 20;

    /** What is encoded. */
    @Param({"long", "string", "bytes1k", "order"})
    public String value = "";

    private final ValueCodec codec =
            new ValueCodec(TypeTable.of(List.of(Order.class), List.of(), List.of()), MAX_BYTES);
    private final Payload target = new Payload();
    private final Payload encoded = new Payload();
    private Object object = "";

    /** Makes the value, and an encoded one. */
    @Setup
    public void makeValue() {
        object = switch (value) {
            case "long" -> 1_000_000L;
            case "string" -> "a string of forty characters, more or less";
            case "bytes1k" -> new byte[1024];
            case "order" -> Order.sample(7);
            default -> throw new IllegalArgumentException("unknown value: name=" + value);
        };
        codec.encode(object, encoded);
        if (object instanceof Order order && !order.equals(codec.decode(encoded))) {
            throw new IllegalStateException("not the same");
        }
    }

    /** Into words, and memory of the codec. */
    @Benchmark
    public Payload encode() {
        codec.encode(object, target);
        return target;
    }

    /** Into a new object. */
    @Benchmark
    public @Nullable Object decode() {
        return codec.decode(encoded);
    }
}

import dev.knitting.examples.Hashes;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;

/** The same digests as tools/map-memory.sh, by a parallel stream in one JVM: no isolation, no lines, no order. */
final class ParallelHashes {
    private ParallelHashes() {}

    public static void main(String[] args) throws Exception {
        int inputs = Integer.parseInt(args[0]);
        int workers = Integer.parseInt(args[1]);
        try (ForkJoinPool pool = new ForkJoinPool(workers)) {
            long start = System.nanoTime();
            long digits = pool.submit(() -> IntStream.rangeClosed(1, inputs)
                            .parallel()
                            .mapToObj(i -> Hashes.sha256Text("input number " + i))
                            .mapToLong(String::length)
                            .sum())
                    .get();
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "parallelStream: %d inputs, %.2f s, %.0f inputs/s (%d digits)%n",
                    inputs, seconds, inputs / seconds, digits);
        }
    }
}

package dev.knitting.fuzz;

import static org.assertj.core.api.Assertions.fail;

import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A short run of each fuzz target with inputs that are mutated by seed. {@code -Dfuzz.runs=1000000 -Dfuzz.seed=2} makes
 * another one; {@code tools/fuzz.sh} runs the same targets under a fuzzer that follows coverage.
 */
class FuzzTest {
    private static final int RUNS = Integer.getInteger("fuzz.runs", 4_000);
    private static final long SEED = Long.getLong("fuzz.seed", 1);

    static Stream<String> targets() {
        return Seeds.targets().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void run_mutatedInputs_findsNothing(String name) {
        Seeds.Target target = Seeds.targets().get(name);
        for (byte[] seed : target.seeds()) {
            run(target, seed);
        }
        Mutator mutator = new Mutator(SEED, target.seeds());
        for (int i = 0; i < RUNS; i++) {
            run(target, mutator.next());
        }
    }

    private static void run(Seeds.Target target, byte[] input) {
        try {
            target.run().accept(input);
        } catch (Throwable found) {
            fail("input " + Base64.getEncoder().encodeToString(input), found);
        }
    }
}

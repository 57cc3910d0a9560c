package dev.knitting.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The models of the claims, {@code proof/claims.pml} (TICKET, mailbox, bells) and {@code proof/dekker.pml}, checked whole by
 * spin in small worlds; and the same without one of their rules, which must fail. Larger worlds, which take minutes and
 * gigabytes, with {@code -Dmodel.large=true}. Needs {@code spin} and a C compiler, as Debian's package has them.
 */
class ClaimModelTest {
    private static final Pattern ERRORS = Pattern.compile("errors: (\\d+)");

    private static final boolean LARGE = Boolean.getBoolean("model.large");

    @TempDir
    Path folder;

    @BeforeAll
    static void needsSpin() {
        assumeTrue(isThere("spin") && isThere("gcc"), "spin and gcc are not installed: apt-get install spin gcc");
    }

    private static boolean isThere(String command) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (Files.isExecutable(Path.of(folder, command))) {
                return true;
            }
        }
        return false;
    }

    private static Path model(String name) {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("proof/claims.pml"))) {
            root = root.getParent();
        }
        return root.resolve("proof").resolve(name);
    }

    /** How many errors there are in the world of the claims with these definitions, the first one ends the search. */
    private int errors(String... definitions) throws Exception {
        return errorsOf("claims.pml", definitions);
    }

    private int errorsOf(String model, String... definitions) throws Exception {
        Files.copy(model(model), folder.resolve("model.pml"));
        List<String> generate = new ArrayList<>(List.of("spin"));
        generate.addAll(List.of(definitions));
        generate.addAll(List.of("-a", "model.pml"));
        run(generate);
        run(List.of("gcc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-o", "pan", "pan.c"));
        String report = run(List.of(folder.resolve("pan").toString(), "-m100000", "-n", "-E"));
        Matcher found = ERRORS.matcher(report);
        assertThat(found.find()).as(report).isTrue();
        assertThat(report).as("the search was cut off").doesNotContain("max search depth too small");
        return Integer.parseInt(found.group(1));
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(LARGE ? 3600 : 240, TimeUnit.SECONDS))
                    .as("%s ends", command)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }

    @Test
    void claims_twoWorkersAndAStranger_holdAllProperties() throws Exception {
        assertThat(errors("-DPRODUCERS=1", "-DEACH=3", "-DWORKERS=2")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2 LOAD_AND_STORE",
                "2 NO_FREE_CHECK",
                "1 NO_VOID",
                "1 VOID_RINGS_NOBODY",
                "2 LOOK_BEFORE_ARMING",
            })
    void claims_withoutARule_fail(String workersAndRule) throws Exception {
        String[] parts = workersAndRule.split(" ");
        assertThat(errors("-DPRODUCERS=1", "-DEACH=3", "-DWORKERS=" + parts[0], "-DBROKEN_" + parts[1]))
                .isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NO_NOTE", "NO_RING_AFTER_DEATH", "RUN_AGAIN"})
    void claims_aWorkerIsKilled_withoutARule_fail(String rule) throws Exception {
        assertThat(errors("-DPRODUCERS=1", "-DEACH=3", "-DWORKERS=2", "-DKILL", "-DNEVER_THROWS", "-DBROKEN_" + rule))
                .isPositive();
    }

    @Test
    void claims_aWorkerIsKilledAtAnyStep_holdAllProperties() throws Exception {
        assertThat(errors("-DPRODUCERS=1", "-DEACH=2", "-DWORKERS=2", "-DKILL", "-DNEVER_THROWS"))
                .isZero();
    }

    @Test
    void claims_aWorkerIsStoppedAtAnyStep_holdAllProperties() throws Exception {
        assertThat(errors("-DPRODUCERS=1", "-DEACH=2", "-DWORKERS=2", "-DSTOP")).isZero();
    }

    @Test
    void claims_aWorkerIsKilledAndReplaced_holdAllProperties() throws Exception {
        assertThat(errors("-DPRODUCERS=1", "-DEACH=2", "-DWORKERS=1", "-DKILL", "-DREPLACE", "-DNEVER_THROWS"))
                .isZero();
    }

    @Test
    void claims_replacedBeforeItsCallsWereTaken_fail() throws Exception {
        String rule = "-DBROKEN_REPLACED_BEFORE_RECOVERED";
        assertThat(errors("-DPRODUCERS=1", "-DEACH=2", "-DWORKERS=2", "-DKILL", "-DREPLACE", "-DNEVER_THROWS", rule))
                .isPositive();
    }

    /** See the figures in docs/memory-model.md. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "claims.pml -DPRODUCERS=1 -DEACH=2 -DWORKERS=2 -DKILL -DREPLACE -DNEVER_THROWS",
                "claims.pml -DPRODUCERS=2 -DEACH=1 -DWORKERS=3 -DNEVER_THROWS",
                "dekker.pml -DWORKERS=3",
                "dekker.pml -DKILL -DREPLACE",
            })
    void models_largeWorlds_holdAllProperties(String world) throws Exception {
        assumeTrue(LARGE, "takes minutes: -Dmodel.large=true");
        String[] parts = world.split(" ");
        assertThat(errorsOf(parts[0], Arrays.copyOfRange(parts, 1, parts.length)))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-DCALLS=3", "-DCALLS=2 -DKILL", "-DCALLS=2 -DKILL -DREPLACE", "-DCALLS=3 -DSTOP"})
    void dekker_smallWorlds_holdAllProperties(String world) throws Exception {
        assertThat(errorsOf("dekker.pml", world.split(" "))).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NO_FENCE",
                "IGNORES_SENIORS",
                "IGNORES_JUNIORS",
                "DOES_NOT_LOOK_AGAIN",
                "STOPS_WANTING_FIRST",
                "THE_DEAD_COUNT -DKILL",
                "ENDED_BEFORE_IT_IS_DEAD -DKILL",
                "REPLACED_BEFORE_RECOVERED -DKILL -DREPLACE",
                "STOPPED_KEEPS_NOBODY -DSTOP",
            })
    void dekker_withoutARule_fails(String ruleAndWorld) throws Exception {
        assertThat(errorsOf("dekker.pml", ("-DBROKEN_" + ruleAndWorld).split(" ")))
                .isPositive();
    }
}

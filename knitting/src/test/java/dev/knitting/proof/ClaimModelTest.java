package dev.knitting.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
 * The model of the claims, {@code proof/claims.pml}, checked whole by spin in a small world; and the same without one of
 * its rules, which must fail. Needs {@code spin} and a C compiler, as Debian's package has them.
 */
class ClaimModelTest {
    private static final Pattern ERRORS = Pattern.compile("errors: (\\d+)");

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

    private static Path model() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("proof/claims.pml"))) {
            root = root.getParent();
        }
        return root.resolve("proof/claims.pml");
    }

    /** How many errors there are in the world with these definitions, the first one ends the search. */
    private int errors(String... definitions) throws Exception {
        Files.copy(model(), folder.resolve("claims.pml"));
        List<String> generate = new ArrayList<>(List.of("spin"));
        generate.addAll(List.of(definitions));
        generate.addAll(List.of("-a", "claims.pml"));
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
            assertThat(process.waitFor(240, TimeUnit.SECONDS))
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
}
